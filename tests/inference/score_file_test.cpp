#include "inference/score_file.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "captured_output.h"
#include "catch.h"
#include "inference/loaded_model.h"
#include "inference/scorer.h"
#include "text/line_pairs.h"
#include "tiny_model_file.h"

namespace transformer {
namespace {

std::string scored(const ScoringTask& task) {
  const CapturedOutput output;
  score_file(task, torch::kCPU);
  return output.text();
}

}  // namespace

TEST_CASE("a file's scores are those of the scorer, as lines or as one JSON object") {
  const TinyModelFile file;
  file.write("source", "the cat\nthe mat\n");
  file.write("target", "ein Hund\n\n");
  LoadedModel model = load_for_inference(file / "model.pt", torch::kCPU);
  Scorer scorer(model.network, model.tokenizers, 100, "source", "target");
  const auto expected = scorer.score({{"the cat", "ein Hund", 1}, {"the mat", "", 2}});

  ScoringTask task{.model = file / "model.pt", .source = file / "source", .target = file / "target"};
  CHECK(scored(task) == fmt::format("{:.6f}\n{:.6f}\n", expected[0].log_prob, expected[1].log_prob));

  task.json = true;
  const Json json = Json::parse(scored(task));
  CHECK(json.at("scores")[0].at("log_prob").get<double>() == Approx(expected[0].log_prob));
  CHECK(json.at("scores")[1].at("tokens") == 1);
  CHECK(json.at("pairs") == 2);
  CHECK(json.at("target_tokens") == expected[0].num_tokens + 1);
  const double log_prob = expected[0].log_prob + expected[1].log_prob;
  CHECK(json.at("log_prob").get<double>() == Approx(log_prob));
  CHECK(std::log(json.at("perplexity").get<double>()) ==
        Approx(-log_prob / static_cast<double>(expected[0].num_tokens + 1)));
}

TEST_CASE("texts to score that are empty, of different length or both stdin are refused") {
  const TinyModelFile file;
  file.write("empty", "");
  file.write("one", "the cat\n");
  CHECK_THROWS_WITH(scored({.model = file / "model.pt", .source = file / "empty", .target = file / "empty"}),
                    Catch::Contains("empty: is empty"));
  CHECK_THROWS_WITH(scored({.model = file / "model.pt", .source = file / "one", .target = file / "empty"}),
                    Catch::Contains("empty: ends after line 0"));
  CHECK_THROWS_AS(scored({.model = file / "model.pt", .source = "-", .target = "-"}), UsageError);
}

}  // namespace transformer
