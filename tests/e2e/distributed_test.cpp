#include <fmt/core.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <random>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "catch.h"
#include "count.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

constexpr int kSteps = 30;

/// Settings of a run with dropout that writes the loss of every step. The learning rate is low because large updates
/// make rounding errors grow: some inputs of ReLU become positive in one run and negative in the other.
std::vector<std::string> settings(const std::string& directory, int steps) {
  return {"--set",    "training.directory=" + directory,
          "--set",    "training.train_steps=" + std::to_string(steps),
          "--set",    "training.log_every=1",
          "--set",    "model.P_drop=0.2",
          "--set",    "model.attention_dropout=0.1",
          "--set",    "training.learning_rate_scale=0.1",
          "--set",    "training.validate_every=15",
          "--device", "cpu"};
}

void train(const Workplace& place, const std::string& directory, int devices, int steps,
           const std::vector<std::string>& more = {}) {
  const Result result =
      place.train(with(with(settings(directory, steps), {"--devices", std::to_string(devices)}), more));
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(result.out.empty());
}

/// Uses the corpus and model of configs/sample.yaml. With learning_rate_scale 0.1 (see `settings`), a warm-up of 860
/// steps raises the learning rate as slowly as the paper's 4,000 steps do with 1.
void use_sample_corpus(const Workplace& place) {
  const std::string config = kConfigs / "sample.yaml", sample = kRepository / "data/sample/";
  place.write("config.yaml", fmt::format("extends: {}\n"
                                         "data:\n"
                                         "  train: {{source: [{}train.en.gz], target: [{}train.de.gz]}}\n"
                                         "  valid: {{source: valid.source, target: valid.target}}\n"
                                         "training: {{warmup_steps: 860}}\n",
                                         config, sample, sample));
}

/// The command-line arguments of `train`, quoted for a shell.
std::string words(const std::vector<std::string>& arguments) {
  return " " + quoted(Workplace::train_command(arguments));
}

/// The variables that torchrun sets for a rank of a world on one machine.
std::string torchrun_rank(int rank, int size) {
  return fmt::format("RANK={} WORLD_SIZE={} LOCAL_RANK={} LOCAL_WORLD_SIZE={}", rank, size, rank, size);
}

/// Starts ranks with these environment variables and a common MASTER_ADDR and MASTER_PORT; fails if one of them fails.
Result run_ranks(const Workplace& place, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& ranks) {
  std::string script = fmt::format("export MASTER_ADDR=127.0.0.1 MASTER_PORT={}; all=; failure=0\n", free_port());
  for (const auto& rank : ranks) {
    script += rank + " \"$transformer\"" + words(arguments) + " & all=\"$all $!\"\n";
  }
  return place.run_shell(script + "for rank in $all; do wait $rank || failure=$?; done; exit $failure");
}

std::vector<double> losses(const Workplace& place, const std::string& directory) {
  std::vector<double> values;
  std::string text = place.read(directory + "/metrics.jsonl");
  text.resize(text.rfind('\n') + 1);  // a line that is being written has no end yet
  for (const auto& line : lines_of(text)) {
    const Json metrics = parse_json(line);
    if (!metrics.contains("loss")) continue;
    CHECK(metrics.at("step") == values.size() + 1);
    values.push_back(metrics.at("loss").get<double>());
  }
  return values;
}

/// The largest difference between the final parameters of two runs.
double parameter_difference(const Workplace& place, const std::string& one, const std::string& other) {
  for (const auto& run : {one, other}) {
    const std::string last = run + "/checkpoints/" + place.list(run + "/checkpoints").back();
    REQUIRE(place.run({"export", "--model", last, "-o", run + "-out"}).status == 0);
  }
  const Result compared = place.run_python({"-c",
                                            "import sys\nfrom safetensors.numpy import load_file\n"
                                            "a, b = (load_file(d + '-out/model.safetensors') for d in sys.argv[1:])\n"
                                            "print(max(abs(a[k] - b[k]).max() for k in a))",
                                            one, other});
  INFO(compared.err);
  REQUIRE(compared.status == 0);
  return std::stod(compared.out);
}

void check_same_training(const Workplace& place, const std::string& run, const std::string& reference,
                         size_t steps = kSteps) {
  INFO(run << " beside " << reference);
  const auto ours = losses(place, run), theirs = losses(place, reference);
  REQUIRE(ours.size() == steps);
  REQUIRE(theirs.size() == steps);
  for (size_t i = 0; i < ours.size(); ++i) CHECK(ours[i] == Approx(theirs[i]).epsilon(1e-4));
  CHECK(parameter_difference(place, run, reference) < 1e-4);
}

/// The child processes of `parent`.
std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

/// As in /proc/PID/stat: 'T' if it is suspended, 'Z' if it has exited; 0 if there is no such process.
char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  return std::getline(file, line) ? line.at(line.rfind(") ") + 2) : '\0';
}

bool is_running(pid_t process) { return state_of(process) != '\0' && state_of(process) != 'Z'; }

}  // namespace

TEST_CASE("any number of ranks and micro-batches trains the same model, dropout included") {
  const Workplace place;
  use_sample_corpus(place);
  const std::vector<std::string> small = {"--set", "training.batch_tokens=1024"};
  const auto in_micro_batches = with(small, {"--set", "training.device_tokens=310"});
  train(place, "one", 1, kSteps, small);
  train(place, "micro-batches", 1, kSteps, in_micro_batches);
  check_same_training(place, "micro-batches", "one");
  train(place, "two", 2, kSteps, small);
  check_same_training(place, "two", "one");
  train(place, "four", 4, kSteps, in_micro_batches);
  check_same_training(place, "four", "one");

  // Stopped and resumed with other numbers of ranks.
  train(place, "changing", 2, 10, small);
  train(place, "changing", 4, 20, small);
  train(place, "changing", 1, kSteps, small);
  check_same_training(place, "changing", "one");
  // Only the first rank writes.
  CHECK(place.list("two") == place.list("one"));
}

TEST_CASE("subword regularization and letter cases are the same with any number of ranks, and when a run resumes") {
  const Workplace place;
  use_sample_corpus(place);
  const std::vector<std::string> sampled = {"--set", "training.batch_tokens=1024", "--set", "data.sampling_alpha=0.1",
                                            "--set", "data.all_caps=0.2",          "--set", "data.title_case=0.2"};
  train(place, "one", 1, kSteps, sampled);
  train(place, "two", 2, kSteps, sampled);
  check_same_training(place, "two", "one");
  train(place, "changing", 2, 10, sampled);
  train(place, "changing", 1, kSteps, sampled);
  check_same_training(place, "changing", "one");

  train(place, "not-sampled", 1, kSteps, {"--set", "training.batch_tokens=1024"});
  CHECK(losses(place, "not-sampled").front() != Approx(losses(place, "one").front()).epsilon(1e-4));
}

TEST_CASE("ranks that the variables of torchrun or srun describe train together") {
  const Workplace place;
  train(place, "one", 1, kSteps);
  const Result torchrun = run_ranks(place, settings("launched", kSteps), {torchrun_rank(0, 2), torchrun_rank(1, 2)});
  INFO(torchrun.err);
  REQUIRE(torchrun.status == 0);
  check_same_training(place, "launched", "one");

  place.run_shell("rm -r launched");
  const std::string job = "SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_STEP_TASKS_PER_NODE=2 ";
  const Result srun = run_ranks(place, settings("launched", kSteps),
                                {job + "SLURM_PROCID=0 SLURM_LOCALID=0", job + "SLURM_PROCID=1 SLURM_LOCALID=1"});
  INFO(srun.err);
  REQUIRE(srun.status == 0);
  check_same_training(place, "launched", "one");
}

TEST_CASE("ranks that other launchers describe in their own variables train together") {
  const auto variables = GENERATE(
      // Those that Python's PyTorch needs, as wrappers of mpirun and srun set them.
      std::string("RANK={0} WORLD_SIZE=2"), std::string("RANK={0} WORLD_SIZE=2 LOCAL_RANK={0}"),
      std::string("OMPI_COMM_WORLD_RANK={0} OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK={0} "
                  "OMPI_COMM_WORLD_LOCAL_SIZE=2 env -u MASTER_ADDR"),
      std::string("PMI_RANK={0} PMI_SIZE=2 MPI_LOCALRANKID={0} MPI_LOCALNRANKS=2 env -u MASTER_ADDR"));
  INFO(variables);
  const Workplace place;
  train(place, "one", 1, kSteps);
  const auto rank = [&](int number) { return fmt::format(fmt::runtime(variables), number); };
  const Result launched = run_ranks(place, settings("launched", kSteps), {rank(0), rank(1)});
  INFO(launched.err);
  REQUIRE(launched.status == 0);
  check_same_training(place, "launched", "one");
}

namespace {

const std::string torchrun = quoted(TRANSFORMER_VENV "/bin/torchrun");

bool has_torchrun(const Workplace& place) {
  if (place.run_shell(torchrun + " --help").status == 0) return true;
  WARN("not tested: torchrun does not run in this installation (scripts/setup.sh --cuda installs what it needs)");
  return false;
}

}  // namespace

TEST_CASE("torchrun trains, and restarts from the checkpoint when a rank dies") {
  const Workplace place;
  if (!has_torchrun(place)) return;
  use_sample_corpus(place);
  train(place, "one", 1, kSteps);
  const auto command = [&](const std::vector<std::string>& arguments) {
    return torchrun +
           fmt::format(" --nnodes 1 --nproc-per-node 2 --master-port {} --max-restarts 2 --no-python ", free_port()) +
           quoted(program(Workplace::train_command(arguments)));
  };
  const Result whole = place.run_shell(command(settings("whole", kSteps)) + " 2>&1 >out || cat out");
  INFO(whole.out);
  check_same_training(place, "whole", "one");

  const auto process =
      place.start_shell("exec " + command(with(settings("killed", kSteps), {"--set", "training.checkpoint_every=10"})));
  process->lower_priority();
  process->wait_until("the first checkpoint",
                      [&] { return place.has("killed/checkpoints/step-00000010.safetensors"); });
  const auto ranks = children_of(process->pid());
  REQUIRE(ranks.size() == 2);
  kill(ranks[1], SIGKILL);
  const Result result = process->wait();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("resuming after step"));
  check_same_training(place, "killed", "one");
}

TEST_CASE("torchrun on two machines, whose restart counts differ, restarts from the checkpoint when a rank dies") {
  const Workplace place;
  if (!has_torchrun(place)) return;
  use_sample_corpus(place);
  const std::string agent =
      "exec " + torchrun +
      fmt::format(" --nnodes 2 --nproc-per-node 1 --rdzv-backend c10d --rdzv-endpoint localhost:{} ", free_port()) +
      "--max-restarts 1 --no-python " +
      quoted(program(
          Workplace::train_command(with(settings("killed", kSteps), {"--set", "training.checkpoint_every=10"}))));
  const std::array agents = {place.start_shell(agent), place.start_shell(agent)};
  for (const auto& process : agents) process->lower_priority();
  agents[0]->wait_until("the first checkpoint",
                        [&] { return place.has("killed/checkpoints/step-00000010.safetensors"); });
  const auto ranks = children_of(agents[1]->pid());
  REQUIRE(ranks.size() == 1);
  kill(ranks[0], SIGKILL);
  std::string messages;
  for (const auto& process : agents) {
    const Result result = process->wait();
    INFO(result.err);
    CHECK(result.status == 0);
    messages += result.err;
  }
  CHECK_THAT(messages, Catch::Contains("resuming after step"));
  train(place, "one", 1, kSteps);
  check_same_training(place, "killed", "one");
}

TEST_CASE("ranks that die at any step end the others, and the run resumes from its last checkpoint") {
  static constexpr int kKills = 8;
  const std::vector<std::string> often = {"--set", "training.checkpoint_every=2"};
  const Workplace place;
  const auto arguments = with(with(settings("killed", kNeverReached), {"--devices", "4"}), often);
  std::mt19937 random(1);
  for (int kills = 0; kills < kKills; ++kills) {
    const auto done = place.has("killed/metrics.jsonl") ? losses(place, "killed").size() : 0;
    const size_t step = done + 1 + random() % 4;
    const auto rank = random() % 4;
    INFO("rank " << rank << " at step " << step);
    const auto process = place.start(Workplace::train_command(arguments));
    process->lower_priority();
    process->wait_until("step " + std::to_string(step),
                        [&] { return place.has("killed/metrics.jsonl") && losses(place, "killed").size() >= step; });
    const auto ranks = children_of(process->pid());
    REQUIRE(ranks.size() == 4);
    kill(ranks[rank], SIGKILL);
    const Result result = process->wait();
    check_fails(result, 1, {fmt::format("rank {} of 4 on ", rank), ", during ", "was killed by signal 9 (Killed)"});
    for (const pid_t other : ranks) CHECK_FALSE(is_running(other));
  }
  const auto steps = losses(place, "killed").size() + 10;
  train(place, "killed", 4, static_cast<int>(steps), often);
  train(place, "one", 1, static_cast<int>(steps), often);
  check_same_training(place, "killed", "one", steps);
}

TEST_CASE("a rank that freezes or hangs ends all within 30 s", "[waits]") {
  const Workplace place;
  // The time limit is for a rank that hangs in a step: a validation and a checkpoint may take any time.
  const auto arguments = with(settings("run", kNeverReached),
                              {"--devices", "3", "--step-timeout", "10", "--set", "training.validate_every=null",
                               "--set", "training.checkpoint_every=" + std::to_string(kNeverReached)});
  const auto process = place.start(Workplace::train_command(arguments));
  process->wait_until("some steps", [&] { return place.has("run/metrics.jsonl") && losses(place, "run").size() > 10; });
  const auto ranks = children_of(process->pid());
  REQUIRE(ranks.size() == 3);
  const auto start = std::chrono::steady_clock::now();
  std::string cause;
  SECTION("the whole process") {
    kill(ranks[2], SIGSTOP);
    cause = "has sent no heartbeat for 15 s";
  }
  SECTION("its work alone") {
    REQUIRE(ptrace(PTRACE_ATTACH, ranks[2], nullptr, nullptr) == 0);  // stops the main thread only
    cause = "hangs: no progress for 10 s (--step-timeout)";
  }
  auto end = std::async(std::launch::async, [&] { return process->wait(); });
  if (cause.starts_with("hangs")) {
    while (waitpid(ranks[2], nullptr, __WALL) == ranks[2] && is_running(ranks[2])) continue;  // until it has exited
  }
  const Result result = end.get();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
  check_fails(result, 1, {"rank 2 of 3 on ", ", during step ", cause, "resume from the last checkpoint"});
  CHECK_THAT(place.read("run/train.log"), Catch::Contains("error: rank 2 of 3 on ") && Catch::Contains(cause));
  for (const pid_t rank : ranks) CHECK_FALSE(is_running(rank));
}

TEST_CASE("ranks that were suspended together go on", "[waits]") {
  const Workplace place;
  const auto process = place.start(Workplace::train_command(with(settings("run", kNeverReached), {"--devices", "2"})));
  const auto wait_for_more_steps = [&] {
    const auto done = place.has("run/metrics.jsonl") ? losses(place, "run").size() : 0;
    process->wait_until("more steps",
                        [&] { return place.has("run/metrics.jsonl") && losses(place, "run").size() > done + 10; });
  };
  wait_for_more_steps();
  const auto ranks = children_of(process->pid());
  REQUIRE(ranks.size() == 2);
  const auto are_suspended = [&] {
    return std::all_of(ranks.begin(), ranks.end(), [](pid_t rank) { return state_of(rank) == 'T'; });
  };
  // Longer than the time after which a rank counts as frozen, or the store as lost.
  static constexpr std::chrono::seconds kSuspension(20);
  SECTION("Ctrl-Z and fg") {
    process->signal(SIGTSTP);
    process->wait_until("the suspension", are_suspended);
    std::this_thread::sleep_for(kSuspension);
    process->signal(SIGCONT);
  }
  SECTION("a batch system, which suspends the ranks while they wait for the store") {
    static constexpr std::chrono::milliseconds kOtherProcess(500);
    process->signal(SIGSTOP);
    std::this_thread::sleep_for(kOtherProcess);
    for (const pid_t rank : ranks) kill(rank, SIGSTOP);
    process->wait_until("the suspension", are_suspended);
    std::this_thread::sleep_for(kSuspension);
    for (const pid_t rank : ranks) kill(rank, SIGCONT);
    std::this_thread::sleep_for(kOtherProcess);
    process->signal(SIGCONT);
  }
  wait_for_more_steps();
  // Until the watchdog would have noticed what is wrong.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  process->signal(SIGTERM);
  const Result result = process->wait();
  INFO(result.err);
  CHECK(result.status == 0);
}

TEST_CASE("ranks that srun started end together too, although no launcher watches them", "[waits]") {
  const Workplace place;
  const std::string port = std::to_string(free_port());
  const auto start = [&](int rank) {
    return place.start_shell("exec env MASTER_ADDR=127.0.0.1 MASTER_PORT=" + port + " SLURM_STEP_ID=0 SLURM_NTASKS=2 " +
                             "SLURM_STEP_TASKS_PER_NODE=2 SLURM_PROCID=" + std::to_string(rank) + " SLURM_LOCALID=" +
                             std::to_string(rank) + " \"$transformer\"" + words(settings("run", kNeverReached)));
  };
  const std::array ranks = {start(0), start(1)};
  ranks[0]->wait_until("some steps",
                       [&] { return place.has("run/metrics.jsonl") && losses(place, "run").size() > 10; });
  const auto [victim, signal, cause] = GENERATE(table<size_t, int, std::string>(
      {{0, SIGKILL, "rank 0 at 127.0.0.1:"}, {1, SIGKILL, "rank 1 of 2 on "}, {0, SIGSTOP, "rank 0 at 127.0.0.1:"}}));
  const auto begin = std::chrono::steady_clock::now();
  ranks[victim]->signal(signal);
  const Result result = ranks[1 - victim]->wait();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  check_fails(result, 1, {cause, "run the same command again to resume from the last checkpoint"});
}

TEST_CASE("a rank on another machine reports that the machine with the store is lost", "[waits]") {
  const Workplace place;
  const std::string port = std::to_string(free_port());
  const auto start = [&](int rank, int machine, int local_rank) {
    return place.start_shell(fmt::format("exec env GLOO_SOCKET_IFNAME=lo MASTER_ADDR=127.0.0.1 MASTER_PORT={} "
                                         "SLURM_STEP_ID=0 SLURM_NTASKS=3 SLURM_STEP_TASKS_PER_NODE=2,1 "
                                         "SLURM_PROCID={} SLURM_NODEID={} SLURM_LOCALID={} \"$transformer\"",
                                         port, rank, machine, local_rank) +
                             words(settings("run", kNeverReached)));
  };
  const std::array ranks = {start(0, 0, 0), start(1, 0, 1), start(2, 1, 0)};
  ranks[0]->wait_until("some steps",
                       [&] { return place.has("run/metrics.jsonl") && losses(place, "run").size() > 10; });
  const int signal = GENERATE(SIGKILL, SIGSTOP);  // with SIGSTOP, connections stay open, as when a cable is cut
  for (const int rank : {1, 0}) ranks[static_cast<size_t>(rank)]->signal(signal);
  check_fails(ranks[2]->wait(), 1, {"rank 0 at 127.0.0.1:", "no longer answers", "check that machine and the network"});
}

TEST_CASE("ranks of another job that find the store of a run do not disturb it", "[waits]") {
  const Workplace place, other;
  const std::string port = std::to_string(free_port());
  const auto command = [&](int job, int rank, const std::string& start_timeout) {
    return fmt::format(
               "exec env MASTER_ADDR=127.0.0.1 MASTER_PORT={} SLURM_JOB_ID={} SLURM_STEP_ID=0 SLURM_NTASKS=2 "
               "SLURM_STEP_TASKS_PER_NODE=2 SLURM_PROCID={} SLURM_LOCALID={} \"$transformer\"",
               port, job, rank, rank) +
           words(with(settings("run", kNeverReached), {"--start-timeout", start_timeout}));
  };
  const std::array ranks = {place.start_shell(command(1, 0, "120")), place.start_shell(command(1, 1, "120"))};
  const auto wait_for_steps = [&](size_t count) {
    ranks[0]->wait_until("some steps",
                         [&] { return place.has("run/metrics.jsonl") && losses(place, "run").size() > count; });
  };
  wait_for_steps(10);
  check_fails(other.run_shell(command(1, 1, "4")), 1, {"another process has also joined as rank 1"});
  check_fails(other.run_shell(command(2, 1, "4")), 1, {"rank 0 of 2 did not join at 127.0.0.1:", "within 4 s"});
  wait_for_steps(losses(place, "run").size() + 10);
  ranks[1]->signal(SIGTERM);
  for (const auto& rank : ranks) CHECK(rank->wait().status == 0);
}

TEST_CASE("a rank's error ends the others and is reported once") {
  const Workplace place;
  train(place, "prepares", 1, 1);
  // The checkpoint that rank 0 writes, while all ranks train on, is larger than the limit for files; best.safetensors
  // is smaller.
  const auto arguments = with(settings("run", kSteps), {"--devices", "3", "--set", "training.checkpoint_every=10"});
  const Result result = place.run_shell("ulimit -f 800; \"$transformer\"" + words(arguments));
  check_fails(result, 1, {"rank 0 of 3 on ", "run/checkpoints/step-000000", "cannot be written", "ulimit -f"});
}

TEST_CASE("an error that all ranks find is reported by the first one, whose log has it, too") {
  const Workplace place;
  const Result result =
      place.train(with(settings("run", kSteps), {"--devices", "2", "--set", "training.learning_rate_scale=1e45"}));
  check_fails(result, 1, {"rank 0 of 2 on ", "loss or gradient was not finite in 10 steps in a row"});
  CHECK_THAT(result.err,
             Catch::Contains("warning: step 5: loss or gradient is not finite") && !Catch::Contains("rank 1: step"));
  CHECK_THAT(place.read("run/train.log"), Catch::Contains("error: rank 0 of 2 on "));
}

TEST_CASE("OMP_NUM_THREADS limits the threads of a single process, unless --threads is given") {
  const Workplace place;
  const auto threads = [&](const std::vector<std::string>& more) {
    const auto arguments = with(Workplace::train_command({"--set", "training.train_steps=2", "--device", "cpu"}), more);
    return place.run_shell("OMP_NUM_THREADS=1 " + quoted(program(arguments))).err;
  };
  CHECK_THAT(threads({"--overwrite"}), Catch::Contains("on cpu (1 thread)"));
  CHECK_THAT(threads({"--overwrite", "--threads", "2"}), Catch::Contains("on cpu (2 threads, 2 workers)"));
}

TEST_CASE("more threads than cores are used with a warning, counted over the ranks of a machine") {
  const Workplace place;
  const Result result =
      place.run_shell("\"$transformer\"" + words(with(settings("run", 1), {"--devices", "2"})) + " --threads $(nproc)");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("threads: "));
  CHECK(count(result.err, "can be used, and more threads than processors") == 1);  // not from each rank
}

TEST_CASE("compressed gradients and a sharded optimizer train the same model") {
  const Workplace place;
  train(place, "one", 1, kSteps);
  train(place, "sharded", 3, 10, {"--set", "training.shard_optimizer=true"});
  train(place, "sharded", 2, 20, {"--set", "training.shard_optimizer=true"});
  train(place, "sharded", 1, kSteps);
  check_same_training(place, "sharded", "one");
  train(place, "compressed", 2, kSteps, {"--set", "training.gradient_compression=bf16"});
  const auto ours = losses(place, "compressed"), theirs = losses(place, "one");
  REQUIRE(ours.size() == theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) CHECK(ours[i] == Approx(theirs[i]).epsilon(0.03));
  CHECK(ours.back() != theirs.back());
}

TEST_CASE("three ranks resume a run as if it had not been interrupted") {
  const Workplace place;
  use_sample_corpus(place);
  const Result result = place.train(with(settings("run", 10), {"--devices", "3", "--threads", "1", "--set",
                                                               "training.batch_tokens=1024", "--verify-resume", "3"}));
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("exact resume verified"));
}

TEST_CASE("ranks that receive a stop signal stop after the same step, with a checkpoint") {
  const std::string way = GENERATE("one rank", "the launcher and all ranks", "a closed terminal");
  const Workplace place;
  const auto process =
      place.start(Workplace::train_command(with(settings("stopped", kNeverReached), {"--devices", "2"})));
  process->wait_until("the first step", [&] { return place.has("stopped/metrics.jsonl"); });
  const auto ranks = children_of(process->pid());
  REQUIRE(ranks.size() == 2);
  if (way == "one rank") kill(ranks[1], SIGTERM);  // it may be any rank
  if (way == "a closed terminal") process->signal(SIGHUP);
  if (way == "the launcher and all ranks") {  // as systemd and Slurm send it
    process->signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (const pid_t rank : ranks) kill(rank, SIGTERM);
  }
  const Result result = process->wait();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("the same command resumes the run"));
  // Only the first rank acknowledges a signal, and only one.
  const size_t acknowledged = result.err.find("stopping after this step");
  CHECK((acknowledged != std::string::npos) == (way == "the launcher and all ranks"));
  CHECK(acknowledged == result.err.rfind("stopping after this step"));
  const auto steps = losses(place, "stopped").size() + 10;
  train(place, "stopped", 1, static_cast<int>(steps));
  train(place, "one", 1, static_cast<int>(steps));
  check_same_training(place, "stopped", "one", steps);
}

TEST_CASE("ranks that cannot train together report why", "[waits]") {
  const Workplace place;
  const auto arguments = settings("run", kSteps);
  SECTION("the environment") {
    check_fails(place.run_shell("WORLD_SIZE=2 \"$transformer\" train --config config.yaml"), 2,
                {"the environment variable RANK is missing"});
    check_fails(place.run_shell("RANK=2 WORLD_SIZE=2 MASTER_PORT=1 \"$transformer\" train --config config.yaml"), 2,
                {"RANK must be from 0 to 1, got '2'"});
  }
  SECTION("variables that contradict each other, or lack the address") {
    check_fails(place.run_shell("RANK=0 WORLD_SIZE=2 MASTER_PORT=1 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 "
                                "\"$transformer\" train --config config.yaml"),
                2, {"RANK ('0') and OMPI_COMM_WORLD_RANK ('1') contradict each other"});
    check_fails(place.run_shell("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1 "
                                "\"$transformer\" train --config config.yaml"),
                2, {"MASTER_ADDR is missing", "export the name of rank 0's host", "mpirun -x MASTER_ADDR=HOST"});
  }
  SECTION("no loopback interface") {
    if (place.run_shell("unshare -rn true").status != 0) {
      WARN("not tested: this system does not permit network namespaces");
      return;
    }
    const std::vector<std::string> parts = {
        "cannot connect to 127.0.0.1, where the ranks of this machine find each other", "`ip link set lo up`"};
    check_fails(place.run_shell("unshare -rn \"$transformer\"" + words(with(arguments, {"--devices", "2"}))), 1, parts);
    check_fails(run_ranks(place, arguments, {torchrun_rank(0, 2) + " unshare -rn"}), 1, parts);
  }
  SECTION("too few open files") {
    const std::vector<std::string> parts = {"training on 2 ranks needs 72 open files, but this process may open ",
                                            "(ulimit -n 72)"};
    for (const char* files : {"10", "14", "40"}) {
      const std::string limited = fmt::format("ulimit -n {}; ", files);
      check_fails(place.run_shell(limited + "\"$transformer\"" + words(with(arguments, {"--devices", "2"}))), 1, parts);
    }
    check_fails(place.run_shell("ulimit -n 40; export MASTER_PORT=1; " + torchrun_rank(0, 2) + " \"$transformer\"" +
                                words(arguments)),
                1, parts);
    // A limit that this process may raise is raised.
    const Result raised =
        place.run_shell("ulimit -Sn 40; \"$transformer\"" + words(with(settings("run", 2), {"--devices", "2"})));
    INFO(raised.err);
    CHECK(raised.status == 0);
  }
  SECTION("the call") {
    check_fails(place.train({"--devices", "2", "--set", "model.N=0"}), 2, {"model.N must be from 1"});
    check_fails(place.train({"--devices", "0"}), 2, {"--devices"});
    check_fails(run_ranks(place, with(arguments, {"--devices", "4"}), {torchrun_rank(0, 2)}), 2,
                {"--devices 4: a launcher has started 2 ranks"});
    // Without a launcher, as when a container sets these variables.
    check_fails(run_ranks(place, with(arguments, {"--devices", "2"}), {torchrun_rank(0, 2)}), 2,
                {"--devices 2: a launcher has started 2 ranks", "unset its environment variables (RANK, WORLD_SIZE"});
  }
  SECTION("another run directory or corpus than rank 0") {
    train(place, "run", 1, 2);
    REQUIRE(place.run_shell("mkdir other && cp -r *.yaml *.source *.target prepared other").status == 0);
    const std::vector<std::string> ranks = {torchrun_rank(0, 2), torchrun_rank(1, 2) + " env -C other"};
    check_fails(
        run_ranks(place, arguments, ranks), 1,
        {"rank 1 of 2", "run/checkpoints/step-00000002.safetensors: is missing here, but rank 0 resumes from it"});
    train(place, "another", 1, 2);
    REQUIRE(
        place.run_shell("mkdir -p other/run/checkpoints && cp another/checkpoints/*2.safetensors other/run/checkpoints")
            .status == 0);
    check_fails(run_ranks(place, arguments, ranks), 1,
                {"rank 1 of 2", "step-00000002.safetensors: has other contents here"});
    REQUIRE(
        place
            .run_shell("cd other && head -n 5 train.source > cut && mv cut train.source && head -n 5 train.target > "
                       "cut && mv cut train.target && \"$transformer\" preprocess config.yaml")
            .status == 0);
    check_fails(run_ranks(place, arguments, ranks), 1,
                {"rank 1 of 2", "prepared: has other contents here than where rank 0 runs"});
    REQUIRE(
        place.run_shell("rm -r other/prepared && cp -r prepared other && cp run/checkpoints/*2.safetensors start.pt")
            .status == 0);
    const auto tuning = with(settings("tuned", kSteps), {"--set", "training.init_from=start.pt"});
    check_fails(run_ranks(place, tuning, ranks), 1,
                {"rank 1 of 2", "start.pt: is missing here, but rank 0 starts with it; put it on a disk that all"});
  }
  SECTION("another config than rank 0") {
    REQUIRE(place
                .run_shell("mkdir other && cp -r *.source *.target other && "
                           "sed 's/checkpoint_every: 50/checkpoint_every: 51/' config.yaml >other/config.yaml")
                .status == 0);
    check_fails(run_ranks(place, arguments, {torchrun_rank(0, 2), torchrun_rank(1, 2) + " env -C other"}), 1,
                {"rank 1 of 2 on ", "has another config than rank 0"});
  }
  SECTION("a rank that never joins") {
    check_fails(
        run_ranks(place, with(arguments, {"--start-timeout", "10"}), {torchrun_rank(0, 3), torchrun_rank(1, 3)}), 1,
        {"rank 2 of 3 did not join at 127.0.0.1:", "within 10 s"});
  }
  SECTION("a network interface that is not there") {
    const auto rank_on = [](int rank, const std::string& interfaces) {
      return fmt::format("RANK={} WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 GLOO_SOCKET_IFNAME={}", rank,
                         interfaces);
    };
    check_fails(run_ranks(place, arguments, {rank_on(0, "none"), rank_on(1, "lo")}), 1,
                {"rank 0 of 2", "GLOO_SOCKET_IFNAME: the network interface 'none' is not there"});
  }
  SECTION("no store") {
    const Result result = run_ranks(place, with(arguments, {"--start-timeout", "3"}), {torchrun_rank(1, 2)});
    check_fails(result, 1, {"rank 1 of 2 on ", "no answer from 127.0.0.1:", "within 3 s"});
    CHECK_THAT(result.err, Catch::StartsWith("rank 1 of 2, by the environment") &&
                               Catch::Contains("waiting up to 3 s for the others at 127.0.0.1:"));
  }
  SECTION("an address of no machine") {
    const std::string rank = torchrun_rank(0, 2) + " MASTER_ADDR=192.0.2.1";
    check_fails(run_ranks(place, with(arguments, {"--start-timeout", "3"}), {rank}), 1,
                {"rank 0: cannot reach itself at 192.0.2.1:", "set MASTER_ADDR, for all ranks, to an address"});
  }
  SECTION("different world sizes") {
    check_fails(run_ranks(place, arguments, {torchrun_rank(0, 2), torchrun_rank(1, 3)}), 1,
                {"rank 1 of 3 on ", "expects 3 ranks, but rank 0 expects 2", "set the same WORLD_SIZE for all ranks"});
  }
  SECTION("the same rank twice") {
    check_fails(run_ranks(place, arguments, {torchrun_rank(0, 3), torchrun_rank(1, 3), torchrun_rank(1, 3)}), 1,
                {"another process has also joined as rank 1"});
  }
  SECTION("a port in use") {
    const Result result = place.run_shell(
        "python3 -c 'import socket, time\ns = socket.create_server((\"\", 0))\n"
        "print(s.getsockname()[1], flush=True)\ntime.sleep(60)' >port & server=$!\n"
        "while ! [ -s port ]; do sleep 0.05; done\n" +
        torchrun_rank(0, 2) + " MASTER_PORT=$(cat port) \"$transformer\"" + words(arguments) +
        "; status=$?; kill $server; exit $status");
    check_fails(result, 1, {"rank 0: port ", " is in use; set another MASTER_PORT for all ranks"});
  }
}

}  // namespace transformer
