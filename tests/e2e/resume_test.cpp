#include <fmt/core.h>

#include <csignal>
#include <filesystem>
#include <regex>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Whether the last checkpoints of two runs have the same parameters, config and vocabulary, bit for bit. The test does
/// not compare the checkpoints themselves, because they also contain the training time.
bool have_same_last_model(const Workplace& one, const Workplace& other) {
  const Workplace scratch;
  const auto extract = [&](const Workplace& place, const std::string& name) {
    const Result result =
        scratch.run({"average-checkpoints", "--inputs", place / checkpoint_name(kLastStep), "-o", name});
    INFO(result.err);
    REQUIRE(result.status == 0);
  };
  extract(one, "one.pt");
  extract(other, "other.pt");
  return scratch.have_same_bytes("one.pt", "other.pt");
}

/// The lines of the run's metrics, without times, speeds and memory.
std::vector<std::string> metrics_of(const Workplace& place) {
  std::vector<std::string> lines;
  for (const auto& line : place.read_lines("run/metrics.jsonl")) {
    const Json metrics = parse_json(line);
    std::string text;
    for (const auto& [key, value] : metrics.items()) {
      if (key == "seconds" || key == "target_tokens_per_second" || key == "memory_bytes") continue;
      text += key + " " + json_text(value) + " ";
    }
    lines.push_back(text);
  }
  return lines;
}

void check_same_as_unbroken(const Workplace& place) {
  CHECK(have_same_last_model(place, trained()));
  CHECK(metrics_of(place) == metrics_of(trained()));
}

void finish(const Workplace& place) {
  const Result result = place.train();
  INFO(result.err);
  REQUIRE(result.status == 0);
}

/// Removes the checkpoints of the last steps, so that the run resumes at step 150 of 250.
void remove_checkpoints_after_150(const Workplace& place) {
  for (const int step : {200, 250}) std::filesystem::remove(place / checkpoint_name(step));
}

void cut_in_half(const Workplace& place, const std::string& name) {
  std::filesystem::resize_file(place / name, std::filesystem::file_size(place / name) / 2);
}

bool has_metrics_of(const Workplace& place, int step) {
  return place.has("run/metrics.jsonl") &&
         place.read("run/metrics.jsonl").find("{\"step\":" + std::to_string(step) + ",") != std::string::npos;
}

}  // namespace

TEST_CASE("train killed again and again ends in the parameters of an unbroken run") {
  const Workplace place;
  const auto kill_once = [&](const std::string& what, const std::function<bool()>& condition) {
    const auto run = place.start(Workplace::train_command());
    run->lower_priority();
    run->wait_until(what, condition);
    run->signal(SIGKILL);
    REQUIRE(run->wait().status == 128 + SIGKILL);
  };
  kill_once("the corpus", [&] { return place.has("prepared/manifest.json"); });
  kill_once("the first metrics", [&] { return has_metrics_of(place, kLogEvery); });
  kill_once("a checkpoint", [&] { return place.has(checkpoint_name(50)); });
  kill_once("some way after a checkpoint", [&] { return has_metrics_of(place, 120); });
  finish(place);
  check_same_as_unbroken(place);
}

TEST_CASE("train that receives a stop signal saves, says how to resume, and resumes as if unbroken") {
  const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP);
  const Workplace place;
  const auto run = place.start(Workplace::train_command());
  run->lower_priority();
  run->wait_until("some metrics", [&] { return has_metrics_of(place, 60); });
  run->signal(signal);
  const Result stopped = run->wait();
  INFO(stopped.err);
  REQUIRE(stopped.status == 0);
  CHECK(stopped.out.empty());
  CHECK_THAT(stopped.err, Catch::Contains("the same command resumes the run"));
  std::smatch step;
  REQUIRE(std::regex_search(stopped.err, step, std::regex("stopped after step ([0-9]+);")));
  const int stopped_at = std::stoi(step[1]);
  CHECK(stopped_at < kLastStep);
  CHECK(place.has(checkpoint_name(stopped_at)));

  const Result again = place.train();
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK_THAT(again.err, Catch::Contains("resuming after step " + std::to_string(stopped_at)));
  CHECK(have_same_last_model(place, trained()));
}

TEST_CASE("train writes a checkpoint on SIGUSR1 and continues") {
  const std::vector<std::string> devices = GENERATE(std::vector<std::string>{"1"}, std::vector<std::string>{"2"});
  const Workplace place;
  const auto run = place.start(Workplace::train_command(
      {"--devices", devices.front(), "--set", "training.checkpoint_every=" + std::to_string(kNeverReached), "--set",
       "training.train_steps=" + std::to_string(kNeverReached), "--set", "training.validate_every=null"}));
  run->wait_until("some metrics", [&] { return has_metrics_of(place, 20); });
  run->signal(SIGUSR1);
  run->wait_until("a checkpoint", [&] { return !place.list("run/checkpoints").empty(); });
  const auto bytes = place.read("run/metrics.jsonl").size();
  run->wait_until("more metrics", [&] { return place.read("run/metrics.jsonl").size() > bytes + 1000; });
  run->signal(SIGTERM);
  const Result result = run->wait();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(place.list("run/checkpoints").size() == 2);  // one on request, one of the last step
}

TEST_CASE("a prepared corpus that is cut short while training reads it is named, and prepared again by the next run") {
  const Workplace place;
  const std::string never = std::to_string(kNeverReached);
  const auto run = place.start(Workplace::train_command(
      {"--set", "training.train_steps=" + never, "--set", "training.checkpoint_every=" + never}));
  run->wait_until("some metrics", [&] { return has_metrics_of(place, 20); });
  std::filesystem::resize_file(place / "prepared/train.bin", 0);
  const Result result = run->wait();
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK_THAT(result.err, Catch::EndsWith("error: prepared/train.bin: became shorter while it was read; restore the "
                                         "file or make it again, and start anew\n"));
  finish(place);
  check_same_as_unbroken(place);
}

TEST_CASE("train goes on after SIGHUP where nohup has made it ignored") {
  const Workplace place;
  const auto run = place.start_shell("trap '' HUP; exec " + quoted(program(Workplace::train_command())));
  run->lower_priority();
  run->wait_until("metrics",
                  [&] { return place.has("run/metrics.jsonl") && place.read_lines("run/metrics.jsonl").size() > 2; });
  run->signal(SIGHUP);
  const Result result = run->wait();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("finished after step 250"));
}

TEST_CASE("train --verify-resume compares a resumed run with an uninterrupted one and leaves no files") {
  const auto [sampling_alpha, all_caps, directory] = GENERATE(table<std::string, std::string, std::string>(
      {{"null", "null", "run"}, {"0.1", "null", "run"}, {"0.1", "0.3", "run"}, {"null", "null", "run/"}}));
  const Workplace place;
  const Result result = place.train({"--verify-resume", "15", "--set", "data.sampling_alpha=" + sampling_alpha, "--set",
                                     "data.all_caps=" + all_caps, "--set", "training.directory=" + directory});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("resuming after step 15"));
  CHECK_THAT(result.err, Catch::Contains("exact resume verified: after 15 + 15 steps and after 30 steps"));
  CHECK_FALSE(place.has("run"));
  CHECK_FALSE(place.has("run.verify-resume"));
}

TEST_CASE("a run extended by more steps is the longer run") {
  const Workplace place;
  REQUIRE(place.train({"--set", "training.train_steps=100"}).status == 0);
  finish(place);
  check_same_as_unbroken(place);
}

TEST_CASE("ranks that a launcher restarts resume the run that --overwrite began") {
  const Workplace place;
  const auto train = [&](int attempt, const std::string& steps) {
    const auto command = program(Workplace::train_command({"--overwrite", "--set", "training.train_steps=" + steps}));
    const Result result =
        place.run_shell(fmt::format("RANK=0 WORLD_SIZE=1 TORCHELASTIC_RESTART_COUNT={} {}", attempt, quoted(command)));
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result.err;
  };
  CHECK_THAT(train(0, "4"), !Catch::Contains("resuming"));
  CHECK_THAT(train(1, "8"), Catch::Contains("resuming after step 4"));
  CHECK_THAT(train(0, "8"), !Catch::Contains("resuming"));

  const auto command =
      program(Workplace::train_command({"--overwrite", "--devices", "2", "--set", "training.train_steps=10"}));
  const Result requeued = place.run_shell(
      "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=1 "
      "SLURM_RESTART_COUNT=1 " +
      quoted(command));
  INFO(requeued.err);
  CHECK(requeued.status == 0);
  CHECK_THAT(requeued.err, Catch::Contains("resuming after step 8"));
}

TEST_CASE("a partly written checkpoint is named, and the one before it is used") {
  const Workplace place(trained());
  remove_checkpoints_after_150(place);
  cut_in_half(place, checkpoint_name(150));
  const Result result = place.train();
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: run/checkpoints/step-00000150.safetensors: "));
  CHECK_THAT(result.err, Catch::Contains("resuming after step 100"));
  check_same_as_unbroken(place);
}

TEST_CASE("a checkpoint with one wrong byte is named, and the one before it is used") {
  const Workplace place(trained());
  remove_checkpoints_after_150(place);
  std::string bytes = place.read(checkpoint_name(150));
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);
  place.write(checkpoint_name(150), bytes);
  const Result result = place.train();
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("step-00000150.safetensors: damaged"));
  CHECK_THAT(result.err, Catch::Contains("resuming after step 100"));
}

TEST_CASE("a run whose checkpoints are all damaged is not deleted without --overwrite") {
  const Workplace place(trained());
  std::filesystem::remove_all(place / "run/checkpoints");
  std::filesystem::create_directory(place / "run/checkpoints");
  place.write(checkpoint_name(50), "half");
  const Result refused = place.train();
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Catch::Contains("step-00000050.safetensors: ") && Catch::Contains("--overwrite"));
  const Result again = place.train({"--overwrite"});
  INFO(again.err);
  REQUIRE(again.status == 0);
  check_same_as_unbroken(place);
}

TEST_CASE("a run that has ended, and whose checkpoints were removed, is not deleted without --overwrite") {
  const Workplace place(trained());
  for (int step = kCheckpointEvery; step <= kLastStep; step += kCheckpointEvery) {
    std::filesystem::remove(place / checkpoint_name(step));
  }
  check_fails(place.train({"--set", "training.seed=2"}), 1,
              {"run: holds a finished run without its checkpoints step-*.safetensors", "--overwrite"});
  CHECK(place.have_same_bytes("run/checkpoints/best.safetensors", trained() / "run/checkpoints/best.safetensors"));
  CHECK(place.read("run/metrics.jsonl") == trained().read("run/metrics.jsonl"));
  const Result best = place.run({"translate", "--model", "run"}, "ba\n");
  CHECK(best.status == 0);
  CHECK_THAT(best.err, Catch::Contains("run: using run/checkpoints/best.safetensors"));
  CHECK(place.train({"--overwrite", "--set", "training.train_steps=2"}).status == 0);
}

TEST_CASE("a run that was stopped before its first step goes on") {
  const Workplace place;
  const bool was_killed_before = GENERATE(false, true);
  if (was_killed_before) {
    const auto run = place.start(Workplace::train_command({"--set", "training.checkpoint_every=1000000", "--set",
                                                           fmt::format("training.train_steps={}", kNeverReached)}));
    run->wait_until("the first metrics", [&] { return place.has("run/metrics.jsonl"); });
    run->signal(SIGKILL);
    run->wait();
  }
  const Result stopped = place.train({"--set", "training.max_hours=0.0000001"});
  REQUIRE(stopped.status == 0);
  CHECK_THAT(stopped.err, Catch::Contains("stopped after step 0"));
  CHECK(place.train({"--set", "training.train_steps=2"}).status == 0);
}

TEST_CASE("a run that has taken more steps than training.train_steps is left as it is") {
  const Workplace place(trained());
  const std::string config = place.read("run/config.yaml");
  check_fails(place.train({"--set", "training.train_steps=1"}), 1,
              {fmt::format("run: has taken {} steps already, more than training.train_steps", kLastStep)});
  CHECK(place.read("run/config.yaml") == config);
}

TEST_CASE("train warns of a missing test text before its first step") {
  const Workplace place(trained());
  const Result result = place.train({"--set", "data.test.source=none"});
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: data.test: none: there is no such file"));
}

TEST_CASE("the best model of a killed run that begins again is kept") {
  const Workplace place(trained());
  for (int step = kCheckpointEvery; step <= kLastStep; step += kCheckpointEvery) {
    std::filesystem::remove(place / checkpoint_name(step));
  }
  const std::string facts = place.read("run/run.json");
  REQUIRE(facts.find("finished") != std::string::npos);
  place.write("run/run.json", std::regex_replace(facts, std::regex("finished"), "running"));
  const Result result = place.train({"--set", "training.train_steps=2"});
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err,
             Catch::Contains("run/checkpoints/best.safetensors: is the best model of a run that has no checkpoints"));
  CHECK(place.have_same_bytes("run/checkpoints/best.safetensors.skipped",
                              trained() / "run/checkpoints/best.safetensors"));
  REQUIRE(place.train({"--overwrite", "--set", "training.train_steps=2"}).status == 0);
  CHECK_FALSE(place.has("run/checkpoints/best.safetensors.skipped"));
}

TEST_CASE("a run whose paths are only written in another way goes on") {
  const Workplace place;
  REQUIRE(place.train({"--set", "training.train_steps=2"}).status == 0);
  const Result result =
      place.train({"--set", "training.train_steps=4", "--set", "data.prepared=./prepared/", "--set",
                   "data.train.source=run/../train.source", "--set", "data.train.target=" + place / "train.target"});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("resuming after step 2"));
  check_fails(place.train({"--set", "data.train.source=['']"}), 1, {"data.train.source: "});
}

TEST_CASE("a run goes on where its text and its prepared data have moved to, also if only the data has") {
  const Workplace place;
  REQUIRE(place.train({"--set", "training.train_steps=2"}).status == 0);
  REQUIRE(place.run_shell("gzip -c train.source > moved.gz && mkdir texts && mv train.* texts").status == 0);
  const auto resumed_by = [&](const std::vector<std::string>& settings, const std::string& steps) {
    const Result result = place.train(with(settings, {"--set", "training.train_steps=" + steps}));
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK_THAT(result.err, Catch::Contains("run: resuming after step "));
    return result.err;
  };
  CHECK_THAT(resumed_by({}, "3"), Catch::Contains("train.source: there is no such file; what is in prepared was "));
  const std::vector<std::string> moved = {"--set", "data.train.source=texts/train.source", "--set",
                                          "data.train.target=texts/train.target"};
  CHECK_THAT(resumed_by(moved, "4"), Catch::Contains("prepared: prepared already"));
  resumed_by(with(moved, {"--set", "data.train.source=moved.gz", "--set", "data.prepared=other"}), "5");
  check_fails(place.train(with(moved, {"--set", "data.train.source=moved.gz"})), 1,
              {"prepared: was not made from moved.gz, and is not replaced where a run is resumed"});
}

TEST_CASE("the averaged model of a run that --overwrite removes is renamed") {
  const Workplace place;
  REQUIRE(place.train({"--set", "training.train_steps=2"}).status == 0);
  place.write("run/averaged.safetensors", "model");
  REQUIRE(place.train({"--set", "training.train_steps=2", "--overwrite"}).status == 0);
  CHECK_FALSE(place.has("run/averaged.safetensors"));
  CHECK(place.read("run/averaged.safetensors.skipped") == "model");
}

TEST_CASE("temporary files of a killed run do no harm and are removed") {
  const Workplace place(trained());
  remove_checkpoints_after_150(place);
  for (const char* name : {"run/checkpoints/step-00000200.safetensors.tmp.aB3dE6", "run/metrics.jsonl.tmp.aB3dE6",
                           "run/config.yaml.tmp.aB3dE6", "prepared/train.bin.tmp.aB3dE6"}) {
    place.write(name, "half of someth");
  }
  const Result result = place.train();
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("resuming after step 150"));
  CHECK_THAT(result.err, !Catch::Contains("warning"));
  for (const char* directory : {"run", "run/checkpoints", "prepared"}) {
    CHECK(place.list(directory) == trained().list(directory));
  }
  check_same_as_unbroken(place);
}

TEST_CASE("a line of metrics that a kill truncated is repaired") {
  const Workplace place(trained());
  remove_checkpoints_after_150(place);
  const std::string metrics = place.read("run/metrics.jsonl");
  place.write("run/metrics.jsonl", metrics + "{\"step\": 260, \"lo");
  finish(place);
  check_same_as_unbroken(place);
}

TEST_CASE("damaged lines of metrics and samples are named and removed, with a copy of the file, and the run goes on") {
  const Workplace place(trained());
  remove_checkpoints_after_150(place);
  std::vector<std::string> lines = place.read_lines("run/metrics.jsonl");
  lines.insert(lines.begin() + 2, "{\"step\": 30, \"lo{\"step\": 40}");
  lines.insert(lines.begin() + 5, "");
  place.write("run/metrics.jsonl", text_of(lines));
  place.write("run/samples.jsonl", "half a line\n" + place.read("run/samples.jsonl"));
  const Result report = place.run({"report", "run", "-o", "report.html"});
  CHECK(report.status == 0);
  CHECK_THAT(report.err, Catch::Contains("warning: run/metrics.jsonl:3: this line is damaged") &&
                             Catch::Contains("and 1 more damaged line; skipped") &&
                             Catch::Contains("warning: run/samples.jsonl:1: this line is damaged"));
  CHECK_THAT(place.read("report.html"), Catch::Contains("at step 250"));

  const Result result = place.train();
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.err, Catch::Contains("warning: run/metrics.jsonl:3: this line is damaged") &&
                             Catch::Contains("the whole file is saved as run/metrics.jsonl.damaged"));
  CHECK(place.read_lines("run/metrics.jsonl.damaged") == lines);
  check_same_as_unbroken(place);
}

TEST_CASE("a run directory takes one training at a time, and is free again after a kill") {
  const Workplace place;
  const std::string never = std::to_string(kNeverReached);
  const auto first = place.start(Workplace::train_command(
      {"--set", "training.train_steps=" + never, "--set", "training.checkpoint_every=" + never}));
  first->wait_until("some metrics", [&] { return has_metrics_of(place, 20); });
  check_fails(place.train(), 1, {"run: another process"});
  check_fails(place.train({"--overwrite"}), 1, {"run: another process"});
  CHECK(has_metrics_of(place, 20));
  first->signal(SIGKILL);
  REQUIRE(first->wait().status == 128 + SIGKILL);
  finish(place);
  check_same_as_unbroken(place);
}

TEST_CASE("prepared data are not replaced while a run trains with them, but other runs may use them") {
  const Workplace place;
  const std::string never = std::to_string(kNeverReached);
  const auto first = place.start(Workplace::train_command(
      {"--set", "training.train_steps=" + never, "--set", "training.checkpoint_every=" + never}));
  first->wait_until("some metrics", [&] { return has_metrics_of(place, 20); });
  const std::vector<std::string> preprocess = {"preprocess", "--config", "config.yaml"};
  const auto preprocess_anew = with(preprocess, {"--set", "data.vocabulary_size=50"});
  const std::string manifest = place.read("prepared/manifest.json");
  check_fails(place.run(preprocess_anew), 1, {"prepared: another process uses these files", "data.prepared"});
  check_fails(place.train({"--set", "data.vocabulary_size=50", "--set", "training.directory=other"}), 1,
              {"prepared: another process uses these files"});
  CHECK(place.read("prepared/manifest.json") == manifest);
  CHECK(place.run(preprocess).status == 0);
  CHECK(place.train({"--set", "training.directory=second", "--set", "training.train_steps=2"}).status == 0);
  first->signal(SIGKILL);
  REQUIRE(first->wait().status == 128 + SIGKILL);
  CHECK(place.run(preprocess_anew).status == 0);
}

TEST_CASE("a corpus that a kill left incomplete is prepared again") {
  const Workplace place;
  REQUIRE(place.run({"preprocess", "--config", "config.yaml"}).status == 0);
  std::filesystem::copy(place / "prepared/train.bin", place / "whole.bin");
  Json manifest = parse_json(place.read("prepared/manifest.json"));
  manifest["inputs"] = nullptr;  // as preprocess leaves it until the end
  place.write("prepared/manifest.json", json_text(manifest));
  cut_in_half(place, "prepared/train.bin");
  REQUIRE(place.run({"preprocess", "--config", "config.yaml"}).status == 0);
  CHECK(place.have_same_bytes("prepared/train.bin", "whole.bin"));
}

}  // namespace transformer
