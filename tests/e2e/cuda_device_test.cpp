#include <fmt/core.h>

#include <iterator>
#include <sstream>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Runs a script under sh in which "$program" is a program of the build, with a stand-in for a driver and, in the
/// folder `stand_in`, for a GPU (tests/e2e/stand_in).
Result run_shell_with_gpu(const Workplace& place, const std::string& script,
                          const std::string& program = "stand_in/transformer") {
  return place.run_shell("export LD_LIBRARY_PATH=" + quoted(TEST_PROGRAMS_DIRECTORY "/stand_in") +
                         "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"; program=" +
                         quoted(TEST_PROGRAMS_DIRECTORY "/" + program) + "; " + script);
}

/// Runs the program with a GPU, and with these environment variables.
Result run_with_gpu(const Workplace& place, const std::string& arguments, const std::string& environment = "") {
  return run_shell_with_gpu(place, environment + " \"$program\" " + arguments);
}

/// The numbers behind `name` in what the stand-in GPU counted.
std::vector<int64_t> counts_of(const Result& result, const std::string& name) {
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto begin = result.err.rfind("\n" + name + " ");
  REQUIRE(begin != std::string::npos);
  const auto end = result.err.find('\n', begin + 1);
  std::istringstream line(result.err.substr(begin + name.size() + 2, end - begin - name.size() - 2));
  return {std::istream_iterator<int64_t>(line), {}};
}

/// What a command that must succeed prints.
std::string output_with_gpu(const Workplace& place, const std::string& arguments, const std::string& environment = "") {
  const Result result = run_with_gpu(place, arguments, environment);
  INFO(result.err);
  REQUIRE(result.status == 0);
  return result.out;
}

/// Trains 12 steps with dropout and two validations; flags follow.
constexpr const char* kTwelveSteps =
    "train --config config.yaml --set training.train_steps=12 --set training.log_every=1 "
    "--set training.validate_every=6 --set model.P_drop=0.2 --threads 1 ";

/// The values of a key in the lines of metrics.jsonl, in their order.
std::vector<double> values_of(const Workplace& place, const std::string& run, const std::string& key) {
  std::vector<double> values;
  for (const Json& metrics : metrics_with(place, run, key)) values.push_back(metrics.at(key).get<double>());
  return values;
}

/// Whether both runs have the same losses and validations, up to rounding.
void check_same_training(const Workplace& place, const std::string& one, const std::string& other, double tolerance) {
  for (const std::string key : {"loss", "valid_loss", "valid_bleu"}) {
    INFO(key);
    const auto expected = values_of(place, one, key), actual = values_of(place, other, key);
    REQUIRE(expected.size() == (key == "loss" ? 12 : 2));
    REQUIRE(actual.size() == expected.size());
    for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(tolerance));
  }
}

/// The texts differ in no word, and numbers by less than the tolerance.
void check_same_text(const std::string& one, const std::string& other, double tolerance) {
  std::istringstream words(one), others(other);
  std::string word, other_word;
  while (words >> word) {
    REQUIRE(others >> other_word);
    if (word == other_word) continue;
    INFO(word << " and " << other_word);
    CHECK(std::stod(other_word) == Approx(std::stod(word)).margin(tolerance));
  }
  CHECK_FALSE(others >> other_word);
}

}  // namespace

TEST_CASE("doctor describes a GPU, or says why it cannot be used") {
  const Workplace place;
  const auto doctor = [&](const std::string& environment) { return output_with_gpu(place, "doctor", environment); };
  CHECK_THAT(doctor(""),
             Catch::Contains("NVIDIA Stand-in, compute capability 9.0, 80.0 GB, of which 30.0 GB are free"));
  CHECK_THAT(
      doctor("STAND_IN_DRIVER=12040"),
      Catch::Contains("the NVIDIA driver supports CUDA 12.4, and this program needs 13.0: install a newer driver"));
  CHECK_THAT(doctor("STAND_IN_COMMIT=0000000"),
             Catch::Contains("libtransformer_cuda.so is of another version: build or install the program again"));
  CHECK_THAT(doctor("STAND_IN_DEVICES=0"), Catch::Contains("the driver shows no CUDA device"));
}

TEST_CASE("a GPU that the program cannot use is an error that says what to do, and a warning with --device auto") {
  const Workplace place(trained());
  const auto translate = [&](const std::string& environment, const std::string& device) {
    return run_with_gpu(place, "translate --model model.pt --input test.source --device " + device, environment);
  };
  check_fails(translate("STAND_IN_CAPABILITY=7", "cuda"), 2,
              {"NVIDIA Stand-in has compute capability 7.0", "needs 8.0 (A100) or newer; use --device cpu"});
  check_fails(translate("STAND_IN_CAPABILITY=7", "auto"), 2, {"--device auto: ", "compute capability 7.0"});
  check_fails(translate("STAND_IN_DEVICES=0", "cuda"), 2, {"the driver shows no CUDA device"});
  check_fails(translate("STAND_IN_DRIVER=12040", "cuda"), 2, {"supports CUDA 12.4", "install a newer driver"});
  check_fails(translate("", "cuda:1"), 2, {"--device cuda:1: this machine has 1 CUDA device"});
  const Result on_cpu = translate("STAND_IN_DRIVER=12040", "cpu"),
               automatic = translate("STAND_IN_DRIVER=12040", "auto");
  CHECK(automatic.status == 0);
  CHECK(automatic.out == on_cpu.out);
  CHECK_THAT(automatic.err, Catch::StartsWith("warning: no GPU is used: the NVIDIA driver supports CUDA 12.4"));
}

TEST_CASE("a CUDA library that is missing or does not load is named, with what to do") {
  const Workplace place;
  const auto doctor = [&](const std::string& program) {
    return run_shell_with_gpu(place, "\"$program\" doctor", program).out;
  };
  CHECK_THAT(doctor("no_library/transformer"),
             Catch::Contains("libtransformer_cuda.so is neither in") && Catch::Contains("install the program again"));
  CHECK_THAT(doctor("damaged_library/transformer"), Catch::Contains("libtransformer_cuda.so does not load (") &&
                                                        Catch::Contains("file too short") &&
                                                        Catch::Contains("scripts/setup.sh --cuda"));
}

TEST_CASE("training on a GPU takes the same steps as on a CPU") {
  const Workplace place;
  const std::string setting = GENERATE("", "--set model.r=3 --set training.gradient_clip=0.5 ",
                                       "--set model.layer_norm=pre ", "--set model.attention_dropout=0.1 ");
  INFO(setting);
  for (const std::string device : {"cpu", "cuda"}) {
    output_with_gpu(place, kTwelveSteps + setting + "--device " + device + " --set training.directory=" + device);
  }
  check_same_training(place, "cpu", "cuda", 1e-4);
}

TEST_CASE("a GPU trains in bf16 with training.precision auto, and resumes exactly") {
  const Workplace place;
  output_with_gpu(place, std::string(kTwelveSteps) + "--device cuda --set training.precision=auto --verify-resume 3");
  output_with_gpu(place, std::string(kTwelveSteps) + "--device cuda --set training.precision=auto");
  CHECK_THAT(place.read("run/train.log"), Catch::Contains("on cuda:0"));
  output_with_gpu(place, std::string(kTwelveSteps) + "--device cpu --set training.directory=cpu");
  check_same_training(place, "cpu", "run", 0.05);
  CHECK(values_of(place, "cpu", "loss") != values_of(place, "run", "loss"));
}

TEST_CASE("two GPUs take the steps of one") {
  const Workplace place;
  const std::string sharded = GENERATE("", "--set training.shard_optimizer=true ");
  output_with_gpu(place, std::string(kTwelveSteps) + "--set training.directory=one --device cuda");
  output_with_gpu(place, kTwelveSteps + sharded + "--set training.directory=two --device cuda --devices 2",
                  "STAND_IN_DEVICES=2");
  check_same_training(place, "one", "two", 1e-4);
  check_fails(run_with_gpu(place, std::string(kTwelveSteps) + "--device cuda --devices 2 --overwrite"), 2,
              {"this machine has 1 CUDA device, numbered from 0, and 2 are needed"});
}

TEST_CASE("ranks of which one has a GPU and the other has none do not train together") {
  const Workplace place;
  const Result result = run_shell_with_gpu(
      place, fmt::format("export MASTER_ADDR=127.0.0.1 MASTER_PORT={1} WORLD_SIZE=2 LOCAL_WORLD_SIZE=2; "
                         "RANK=0 LOCAL_RANK=0 \"$program\" {0} --device cuda & "
                         "RANK=1 LOCAL_RANK=1 \"$program\" {0} --device cpu; status=$?; wait; exit $status",
                         kTwelveSteps, free_port()));
  check_fails(result, 1, {"1 of 2 ranks would train on a GPU and the others on a CPU; give --device cpu"});
}

TEST_CASE("translations, scores and attention weights are the same on a GPU as on a CPU") {
  const Workplace place(trained());
  const std::string command = GENERATE(
      "translate --input test.source --nbest 3 --format nbest", "translate --input test.source --scores --alignment",
      "translate --input test.source --beam-size 1", "translate --input test.source --sample --temperature 0.5",
      "translate --input test.source --workers 2", "translate --input test.source --prefix prefixes --scores",
      "translate --input test.source --prefix prefixes --sample --top-k 3 --scores",
      "translate --input test.source --no-repeat-ngram 2 --repetition-penalty 1.5 --min-length 4 --max-length 9",
      "translate --input test.source --forbid words --terminology terms --nbest 2 --format nbest",
      "translate --input test.source --coverage-penalty 0.5 --nbest 2 --format nbest",
      "translate --input test.source --diversity 0.5 --nbest 3 --format nbest",
      "score --source test.source --target test.target");
  INFO(command);
  std::string prefixes;
  for (int i = 0; i < 50; ++i) prefixes += "us\n\n";
  place.write("prefixes", prefixes);
  place.write("words", "us\n");
  place.write("terms", "bo\tal\n");
  const std::string all = command + " --model model.pt --threads 1 --device ";
  const std::string on_cpu = output_with_gpu(place, all + "cpu"), on_gpu = output_with_gpu(place, all + "cuda");
  check_same_text(on_cpu, on_gpu, 1e-3);
  if (command.ends_with("--scores --alignment")) {
    const auto lines = lines_of(on_cpu);
    const auto text_of = [](const std::string& line) { return line.substr(0, line.find('\t')); };
    for (const std::string precision : {"bf16", "fp16"}) {
      const auto found = lines_of(output_with_gpu(place, all + "cuda --precision " + precision));
      REQUIRE(found.size() == lines.size());
      int same = 0;
      for (size_t i = 0; i < lines.size(); ++i) same += text_of(found[i]) == text_of(lines[i]) ? 1 : 0;
      CHECK(same >= 80);
    }
    for (const std::string device : {"cpu", "cuda"}) {
      output_with_gpu(place, "attention --model model.pt --source 'ba be bi' --format json -o " + device +
                                 ".json --device " + device);
    }
    const auto gpu = nlohmann::json(parse_json(place.read("cuda.json"))).flatten();
    const auto cpu = nlohmann::json(parse_json(place.read("cpu.json"))).flatten();
    REQUIRE(gpu.size() == cpu.size());
    for (const auto& [key, value] : cpu.items()) {
      INFO(key);
      if (value.is_number_float()) {
        CHECK(gpu.at(key).get<double>() == Approx(value.get<double>()).margin(1e-3));
      } else {
        CHECK(gpu.at(key) == value);
      }
    }
  }
}

TEST_CASE("several GPUs translate together, in the order of the lines") {
  const Workplace place(trained());
  // A GPU translates few sentences at a time, so that there are some left when the last GPU starts.
  const std::string command = "translate --model model.pt --scores --threads 2 --batch-size 4 ";
  const std::string on_cpu = output_with_gpu(place, command + "--device cpu --input test.source");
  const auto on_three = [&](const std::string& input) {
    return run_with_gpu(place, command + "--device cuda --devices 3 --input " + input,
                        "STAND_IN_DEVICES=3 STAND_IN_COUNTS=1");
  };
  const Result translation = on_three("test.source");
  check_same_text(on_cpu, translation.out, 1e-3);
  const auto operations = counts_of(translation, "operations");
  const auto for_loading = counts_of(on_three("/dev/null"), "operations");
  REQUIRE(operations.size() == 3);
  for (size_t gpu = 0; gpu < 3; ++gpu) CHECK(operations[gpu] > for_loading.at(gpu));
  check_fails(run_with_gpu(place, command + "--device cuda --devices 2"), 2, {"this machine has 1 CUDA device"});
  check_fails(run_with_gpu(place, command + "--device cpu --devices 2"), 2,
              {"--devices 2: needs as many GPUs; on a CPU, --workers 2 runs"});
}

TEST_CASE("benchmarks divide a step's time on a GPU, and measure attention there") {
  const Workplace place;
  const Json training = parse_json(output_with_gpu(
      place, "benchmark train config.yaml --device cuda --steps 3 --json --set data.vocabulary_size=100"));
  CHECK(training.at("peak_memory_bytes") > 100'000);
  CHECK(training.at("peak_memory_bytes") < 100'000'000);  // of the GPU; the process takes more
  for (const std::string work : {"matrix products", "attention", "normalization", "loss", "optimizer"}) {
    INFO(work);
    CHECK(training.at("work").at(work) > 0);
  }
  const Json attention = parse_json(
      output_with_gpu(place, "benchmark attention config.yaml --device cuda --length 8 16 --repetitions 1 --json"));
  CHECK(attention.at("attention").size() == 2);
}

TEST_CASE("benchmark translate counts the same output on a GPU as on a CPU, and names the GPU") {
  const Workplace place(trained());
  const auto benchmark = [&](const std::string& device) {
    return parse_json(output_with_gpu(
        place,
        "benchmark translate --model model.pt --input test.source --rounds 1 --threads 1 --json --device " + device));
  };
  const Json cpu = benchmark("cpu"), gpu = benchmark("cuda");
  CHECK(gpu.at("lines") == cpu.at("lines"));
  CHECK(gpu.at("output_tokens") == cpu.at("output_tokens"));
  CHECK(gpu.at("output_tokens") > gpu.at("lines"));
  CHECK_THAT(gpu.at("setup").get<std::string>(), Catch::Contains("NVIDIA Stand-in"));
  CHECK_THAT(cpu.at("setup").get<std::string>(), !Catch::Contains("NVIDIA"));
}

TEST_CASE("a step of a search on a GPU waits for it once, and takes few operations") {
  const Workplace place(trained());
  const auto search = [&](const std::string& tokens) {  // twice, once to warm up
    return run_with_gpu(place,
                        "benchmark translate --model model.pt --input test.source --lines 3 --rounds 1 --device cuda "
                        "--precision bf16 --threads 1 --output-tokens " +
                            tokens,
                        "STAND_IN_COUNTS=1");
  };
  const Result longer = search("12"), shorter = search("7");
  const auto more = [&](const std::string& name) {
    return counts_of(longer, name).at(0) - counts_of(shorter, name).at(0);
  };
  const int64_t steps = 2 * 5, layers = 1;
  CHECK(more("waits") == steps);
  // The 13 of a layer are those of self-attention (one product for q, k and v, two to store k and v, attention, output
  // product, add-norm), of cross-attention (product for q, attention, output product, add-norm) and of the feed-forward
  // network (product with ReLU, product, add-norm). The 15 are 3 copies to the GPU, 5 operations that look up embedding
  // and position, 1 that converts them to bf16, the output projection, softmax with top-k, 3 that join the results, and
  // 1 copy to the host.
  CHECK(more("operations") == steps * (13 * layers + 15));
}

TEST_CASE("a step with a forced prefix and a step of a sample wait for the GPU once, too") {
  const Workplace place(trained());
  place.write("line", "ba be bi bo\n");
  place.write("prefix", "us\n");
  const auto waits_beside_steps = [&](const std::string& options) {
    const Result run = run_with_gpu(
        place, "translate --model model.pt --input line --format jsonl --device cuda --threads 1 " + options,
        "STAND_IN_COUNTS=1");
    const int64_t waits = counts_of(run, "waits").at(0);
    const Json translation = parse_json(lines_of(run.out).at(0)).at("translations").at(0);
    return waits - static_cast<int64_t>(translation.at("pieces").size());  // each step adds a piece
  };
  const int64_t expected = waits_beside_steps("--beam-size 1");
  CHECK(waits_beside_steps("--beam-size 1 --prefix prefix") == expected);
  CHECK(waits_beside_steps("--sample") == expected);
  CHECK(waits_beside_steps("--sample --top-k 3 --prefix prefix") == expected);
}

TEST_CASE("the host never waits for a GPU in a step of training") {
  const Workplace place(trained());
  const auto waits = [&](const std::string& steps) {
    const auto run = run_with_gpu(place,
                                  "train --config config.yaml --overwrite --set training.validate_every=null --set "
                                  "training.log_every=100 --device cuda --threads 1 --set training.train_steps=" +
                                      steps,
                                  "STAND_IN_COUNTS=1");
    return counts_of(run, "waits").at(0);
  };
  CHECK(waits("20") == waits("8"));
}

TEST_CASE("a GPU without memory for a step halves its micro-batches, or says what takes its memory") {
  const Workplace place;
  const std::string train = std::string(kTwelveSteps) +
                            "--set training.device_tokens=600 --set training.validate_every=null "
                            "--device cuda ";
  const Result halved = run_with_gpu(place, train, "STAND_IN_COUNTS=1 STAND_IN_MEMORY=1200000");
  INFO(halved.err);
  CHECK(counts_of(halved, "emptied").at(0) > 0);
  CHECK_THAT(halved.err, Catch::Contains("out of memory with micro-batches of 600 tokens"));
  for (const std::string device : {"cuda:0", "cuda:1"}) {
    check_fails(run_with_gpu(place, train + "--overwrite --quiet --device " + device,
                             "STAND_IN_MEMORY=100000 STAND_IN_DEVICES=2"),
                1, {"out of memory on " + device + ", which has ", " bytes free of 100000 bytes; end other programs"});
  }
}

TEST_CASE("a GPU that fails ends the training with its error, and the run resumes") {
  const Workplace place;
  const std::string train =
      std::string(kTwelveSteps) + "--set training.log_every=12 --set training.checkpoint_every=4 --device cuda ";
  // With the first number two steps are running, whose memory cannot be freed on a GPU that has failed.
  const std::string operations = GENERATE("2600", "3000");
  const Result failed = run_with_gpu(place, train, "STAND_IN_FAILS_AFTER=" + operations);
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("\nerror: the GPU failed: CUDA error: unspecified launch failure") &&
                             Catch::EndsWith("resumes a training run from its last checkpoint\n"));
  CHECK_THAT(place.read("run/run.json"), Catch::Contains("\"failed\""));
  const Result resumed = run_with_gpu(place, train);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.err, Catch::Contains("resuming after step ") && Catch::Contains("finished after step 12"));
}

TEST_CASE("a GPU that fails in one of two ranks ends both with its error") {
  const Workplace place;
  const std::string failing = GENERATE("STAND_IN_FAILS_AFTER=3000", "STAND_IN_FAILS_IN=allreduce");
  const std::string train = std::string(kTwelveSteps) + "--set training.log_every=12 --device cuda --devices 2 --quiet";
  const Result failed = run_with_gpu(place, train, "STAND_IN_DEVICES=2 STAND_IN_FAILING_RANK=1 " + failing);
  INFO(failed.err);
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("error: rank 1 of 2") && Catch::Contains("the GPU failed: CUDA error"));
}

TEST_CASE("a task of srun that sees a single GPU takes it, and nobody else does") {
  const Workplace place;
  const std::string train = std::string(kTwelveSteps) + "--device cuda ";
  check_fails(run_with_gpu(place, train + "--devices 2", "SLURM_LOCALID=1"), 2, {"this machine has 1 CUDA device"});
  const Result tasks = run_shell_with_gpu(
      place,
      fmt::format(
          "export SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_STEP_TASKS_PER_NODE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT={1}\n"
          "SLURM_PROCID=1 SLURM_LOCALID=1 \"$program\" {0} & other=$!\n"
          "SLURM_PROCID=0 SLURM_LOCALID=0 \"$program\" {0} && wait $other",
          train, free_port()));
  INFO(tasks.err);
  CHECK(tasks.status == 0);
  CHECK(values_of(place, "run", "loss").size() == 12);
}

TEST_CASE("the tests of GPU kernels pass on a GPU") {
  const Workplace place;
  const Result result =
      run_shell_with_gpu(place, "TRANSFORMER_TEST_GPU=1 \"$program\" '[gpu]'", "stand_in/transformer_tests");
  INFO(result.out);
  CHECK(result.status == 0);
  CHECK_THAT(result.out, Catch::Contains("All tests passed"));
}

}  // namespace transformer
