#include <algorithm>

#include "catch.h"
#include "json.h"
#include "workplace.h"

namespace transformer {
namespace {

const std::string kConfigs = std::string(TRANSFORMER_SOURCE_DIR) + "/configs/";

/// What the call prints, which must be all that it says.
std::string output_of(const std::vector<std::string>& arguments) {
  const Result result = Workplace().run(arguments);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  return result.out;
}

std::map<std::string, std::string> json_of(const std::vector<std::string>& arguments) {
  const std::string out = output_of(arguments);
  CHECK(lines_of(out).size() == 1);
  return parse_json_object(out);
}

/// The commands that --help lists.
std::vector<std::string> commands() {
  std::vector<std::string> names;
  const auto lines = lines_of(output_of({"--help"}));
  for (auto line = std::find(lines.begin(), lines.end(), "Subcommands:") + 1; line < lines.end(); ++line) {
    if (line->starts_with("  ") && line->at(2) != ' ') names.push_back(line->substr(2, line->find(' ', 2) - 2));
  }
  return names;
}

}  // namespace

TEST_CASE("help lists the commands") {
  const auto names = commands();
  for (const char* name : {"preprocess", "train", "average-checkpoints", "translate", "score", "eval-bleu", "info",
                           "export", "import", "benchmark", "doctor"}) {
    INFO(name);
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}

TEST_CASE("help of every command has an example of it") {
  for (const auto& name : commands()) {
    INFO(name);
    CHECK_THAT(output_of({name, "--help"}), Catch::Contains("Example:\n  transformer " + name));
  }
}

TEST_CASE("version is one line") { CHECK(lines_of(output_of({"--version"})).size() == 1); }

TEST_CASE("info shows a config's parameters beside the paper's") {
  const auto base = json_of({"info", "--config", kConfigs + "base.yaml", "--json"});
  CHECK(base.at("parameters") == "63045632");
  CHECK(base.at("paper_parameters_millions") == "65");
  CHECK(base.at("vocabulary_size") == "37000");
  CHECK(std::stod(base.at("training_flops")) > 0);
  CHECK(std::stod(base.at("training_memory_bytes")) > 0);
  CHECK_THAT(output_of({"info", "--config", kConfigs + "table3/c_N2.yaml"}),
             Catch::Contains("N 2,") && Catch::Contains("Table 3, C N=2: 36 M"));
}

TEST_CASE("info --table3 shows every row of the table beside the paper's figures") {
  const std::string configs = kConfigs.substr(0, kConfigs.size() - 1);
  const std::string out = output_of({"info", "--table3", "--configs", configs, "--set", "data.vocabulary_size=41100"});
  const auto lines = lines_of(out);
  CHECK_THAT(out, Catch::Contains("\nC d_model=256") && Catch::Contains("\nE learned positions"));
  CHECK_THAT(lines.at(2), Catch::StartsWith("base ") && Catch::Contains("4.92") && Catch::Contains("25.8") &&
                              Catch::Contains(" 65   65.1 ") && Catch::Contains("3.3e+18"));
  CHECK_THAT(lines.at(21), Catch::StartsWith("big ") && Catch::Contains(" 213 ") && Catch::Contains("2.3e+19"));

  const auto json = json_of({"info", "--table3", "--json", "--configs", configs});
  CHECK_THAT(json.at("rows"), Catch::Contains("\"name\": \"A h=1\"") && Catch::Contains("\"paper_bleu\": 24.9"));
}

TEST_CASE("info --table3 takes perplexity, BLEU and cost from run directories") {
  const std::string configs = kConfigs.substr(0, kConfigs.size() - 1), run = trained() / "run";
  const std::string out =
      output_of({"info", "--table3", "--configs", configs, "--run", run, "--sustained-tflops", "0.5"});
  // No row of the table, so it stands below with figures of its own.
  const auto lines = lines_of(out);
  CHECK_THAT(lines.at(22), Catch::StartsWith(run + " ") && Catch::Contains(" 250 ") && Catch::Contains("e+1"));
  const Workplace place;
  place.run_shell("mkdir -p base && cp " + kConfigs + "base.yaml base/config.yaml");
  place.write("base/metrics.jsonl",
              "{\"step\": 100, \"loss\": 5, \"seconds\": 1000}\n"
              "{\"step\": 100, \"valid_loss\": 2, \"valid_perplexity\": 7.25, \"valid_bleu\": 21.5}\n");
  const Result joined =
      place.run({"info", "--table3", "--configs", configs, "--run", "base", "--sustained-tflops", "2"});
  INFO(joined.err);
  CHECK_THAT(lines_of(joined.out).at(2), Catch::StartsWith("base ") && Catch::Contains(" 7.25 ") &&
                                             Catch::Contains(" 21.5 ") && Catch::Contains("2.0e+15"));
  check_fails(place.run({"info", "--table3", "--configs", "none"}), 2, {"none: there is no such directory"});
  check_fails(place.run({"info", "--table3", "--configs", configs, "--run", "none"}), 1, {"none: there is no run"});
  check_fails(place.run({"info", "--table3", "--config", "config.yaml"}), 2, {"leave out --config"});
}

TEST_CASE("benchmark attention measures each length") {
  const std::vector<std::string> call = {
      "benchmark",     "attention", "--config", kConfigs + "base.yaml", "--length", "64", "256",
      "--repetitions", "1",         "--set",    "model.d_model=64"};
  auto restricted = call;
  restricted.insert(restricted.end(), {"--set", "model.r=9", "--json"});
  const Workplace place;
  const Result text = place.run(call);
  INFO(text.err);
  CHECK(text.status == 0);
  CHECK_THAT(text.out,
             Catch::Contains("unrestricted") && Catch::Contains("\n      64 ") && Catch::Contains("\n     256 "));
  CHECK_THAT(json_of(restricted).at("attention"),
             Catch::Contains("\"length\": 256") && Catch::Contains("peak_memory_bytes"));
}

TEST_CASE("info shows what a model file holds") {
  const std::string model = trained() / "model.pt";
  const auto json = json_of({"info", "--model", model, "--json"});
  CHECK(json.at("parameters") == "22912");  // 60 * 32 + 3 * 4 * 32 * 32 + 2 * (2 * 32 * 64 + 64 + 32) + 5 * 2 * 32
  CHECK(json.at("vocabulary_size") == "60");
  CHECK_THAT(output_of({"info", "--model", model}), Catch::Contains("d_model 32") && Catch::Contains("22,912"));
}

TEST_CASE("doctor says what a bug report needs") {
  const auto json = json_of({"doctor", "--json"});
  const std::string text = output_of({"doctor"});
  for (const char* key : {"transformer", "libtorch", "cpu", "cpu_features", "threads", "memory", "gloo", "nccl"}) {
    INFO(key);
    CHECK(json.contains(key));
    CHECK_THAT(text, Catch::Contains(std::string("\n") + key) || Catch::StartsWith(key));
  }
}

}  // namespace transformer
