#include "paper_tables/model_results.h"

#include <fmt/core.h>

#include "base/temporary_directory.h"
#include "catch.h"
#include "config/load_config.h"
#include "model/model_cost.h"
#include "repository.h"
#include "run_files.h"
#include "tiny_model_file.h"

namespace transformer {
namespace {

const std::vector<PaperModel> kBaseModel = {{"base", "base.yaml"}};

/// The results of runs of the base model with these metrics, whose seeds are 1, 2, ...
ModelResults results_of_metrics(const std::vector<std::string>& metrics) {
  const TemporaryDirectory directory;
  std::vector<std::string> runs;
  for (const std::string& lines : metrics) {
    const std::string& run = runs.emplace_back(directory / fmt::format("run{}", runs.size() + 1));
    write_run(run, load_config(kConfigs / "base.yaml", {fmt::format("training.seed={}", runs.size())}), lines);
  }
  return collect_results(kBaseModel, {.configs = kConfigs, .runs = runs, .sustained_tflops = 2}).at(0);
}

}  // namespace

TEST_CASE("training FLOPs by time count every device of the run") {
  const ModelResults results =
      results_of_metrics({"{\"step\": 10, \"loss\": 5, \"seconds\": 100, \"devices\": 8}\n"
                          "{\"step\": 20, \"loss\": 5, \"seconds\": 200, \"devices\": 8}\n"});
  CHECK(results.runs.at(0).devices == 8);
  CHECK(*results.training_flops_by_time == Approx(200 * 8 * 2e12));
}

TEST_CASE("training FLOPs by time follow a change of the number of devices") {
  const ModelResults results =
      results_of_metrics({"{\"step\": 10, \"loss\": 5, \"seconds\": 100, \"devices\": 1}\n"
                          "{\"step\": 10, \"valid_loss\": 2, \"valid_bleu\": 21.5}\n"
                          "{\"step\": 20, \"loss\": 5, \"seconds\": 150, \"devices\": 4}\n"});
  CHECK(results.runs.at(0).seconds == 150);
  CHECK(*results.training_flops_by_time == Approx((100 + 50 * 4) * 2e12));
}

TEST_CASE("counted training FLOPs are a mean over the runs") {
  const std::string ten = "{\"step\": 10, \"loss\": 5}\n", thirty = "{\"step\": 30, \"loss\": 5}\n";
  const double flops = results_of_metrics({ten}).training_flops;
  REQUIRE(results_of_metrics({thirty}).training_flops == Approx(3 * flops));
  CHECK(results_of_metrics({ten, thirty}).training_flops == Approx(2 * flops));
}

TEST_CASE("a run whose last validation is not finite has no result") {
  const ModelResults results =
      results_of_metrics({"{\"step\": 10, \"valid_loss\": 2, \"valid_perplexity\": 7, \"valid_bleu\": 20}\n"
                          "{\"step\": 20, \"valid_loss\": null, \"valid_perplexity\": null, \"valid_bleu\": null}\n",
                          "{\"step\": 20, \"valid_loss\": 2, \"valid_perplexity\": 6, \"valid_bleu\": 21}\n"});
  CHECK(results.mean(&RunResults::perplexity) == 6);
  CHECK(results.mean(&RunResults::bleu) == 21);
}

TEST_CASE("a row without runs has the parameters of the vocabulary that its config names") {
  const TinyModelFile file;
  const ModelResults results =
      collect_results(kBaseModel, {.configs = kConfigs, .overrides = {"data.vocabulary=" + (file / "model.pt")}}).at(0);
  CHECK(results.parameters == num_parameters(results.config.model, 40));
  CHECK(results.vocabularies.target() == 40);
}

}  // namespace transformer
