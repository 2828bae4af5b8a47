#include "run/model_results.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "catch.h"
#include "model/model_cost.h"
#include "temporary_directory.h"
#include "tiny_model_file.h"

namespace transformer {
namespace {

const std::string kModelConfigs = std::string(TRANSFORMER_SOURCE_DIR) + "/configs";
const std::vector<PaperModel> kBaseModel = {{"base", "base.yaml"}};

ModelResults results_of_metrics(const std::string& metrics) {
  const TemporaryDirectory directory;
  const std::string run = directory / "run";
  std::filesystem::create_directory(run);
  write_file_atomically(run + "/config.yaml", dump_config(load_config(kModelConfigs + "/base.yaml", {})));
  write_file_atomically(run + "/metrics.jsonl", metrics);
  return collect_results(kBaseModel, {.configs = kModelConfigs, .runs = {run}, .sustained_tflops = 2}).at(0);
}

}  // namespace

TEST_CASE("training FLOPs by time count every device of the run") {
  const ModelResults results = results_of_metrics(
      "{\"step\": 10, \"loss\": 5, \"seconds\": 100, \"devices\": 8}\n"
      "{\"step\": 20, \"loss\": 5, \"seconds\": 200, \"devices\": 8}\n");
  CHECK(results.runs.at(0).devices == 8);
  CHECK(*results.training_flops_by_time == Approx(200 * 8 * 2e12));
}

TEST_CASE("training FLOPs by time follow a change of the number of devices") {
  const ModelResults results = results_of_metrics(
      "{\"step\": 10, \"loss\": 5, \"seconds\": 100, \"devices\": 1}\n"
      "{\"step\": 10, \"valid_loss\": 2, \"valid_bleu\": 21.5}\n"
      "{\"step\": 20, \"loss\": 5, \"seconds\": 150, \"devices\": 4}\n");
  CHECK(results.runs.at(0).seconds == 150);
  CHECK(*results.training_flops_by_time == Approx((100 + 50 * 4) * 2e12));
}

TEST_CASE("a row without runs has the parameters of the vocabulary that its config names") {
  const TinyModelFile file;
  const ModelResults results =
      collect_results(kBaseModel, {.configs = kModelConfigs, .overrides = {"data.vocabulary=" + (file / "model.pt")}})
          .at(0);
  CHECK(results.parameters == num_parameters(results.config.model, 40));
}

}  // namespace transformer
