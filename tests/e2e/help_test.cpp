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
  for (const char* name : {"preprocess", "train", "average-checkpoints", "translate", "eval-bleu", "info", "doctor"}) {
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
