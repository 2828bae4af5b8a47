#include "benchmarks/training_benchmark.h"

#include <cmath>

#include "base/json.h"
#include "catch.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("training benchmark measures the steps that it is asked for") {
  Config config;
  config.model = tiny_config();
  config.data.vocabulary_size = 100;
  config.training.batch_tokens = 100;
  const TrainingBenchmark benchmark = measure_training(config, 4, torch::kCPU);
  REQUIRE(benchmark.steps.size() == 4);
  for (const auto& step : benchmark.steps) {
    CHECK(step.seconds > 0);
    CHECK(step.tokens > 50);
    CHECK(step.flops > step.tokens * 16 * 100 * 6);  // at least the output projection's
  }
  CHECK(benchmark.product_flops_per_second > 0);
  CHECK(benchmark.peak_bytes > 1000000);
  CHECK(benchmark.first_loss == Approx(std::log(100)).epsilon(0.2));
  CHECK(benchmark.last_loss > 0);
  double seconds = 0;
  for (const double part : benchmark.work_seconds) seconds += part;
  CHECK(seconds > 0);
  CHECK(benchmark.work_seconds[static_cast<size_t>(Work::matrix_products)] > 0);
}

TEST_CASE(
    "training benchmark's figures are medians over its steps, or means where steps overlap, as text and as JSON") {
  TrainingBenchmark benchmark{.setup = "N 6; bf16",
                              .steps = {{1, 100, 1e9}, {4, 100, 1e9}, {2, 100, 1e9}},
                              .product_flops_per_second = 1e9,
                              .peak_bytes = 1500,
                              .first_loss = 5,
                              .last_loss = 4.5};
  CHECK(benchmark.step_seconds() == 2);
  CHECK(benchmark.tokens_per_second() == 50);
  CHECK(benchmark.flops_per_second() == 5e8);
  CHECK(benchmark.utilization() == 0.5);
  {
    TrainingBenchmark overlapping = benchmark;
    overlapping.steps_overlap = true;
    overlapping.steps = {{1, 100, 1e9}, {4, 100, 1e9}, {3, 200, 2e9}};
    CHECK(overlapping.step_seconds() == 8.0 / 3);
    CHECK(overlapping.tokens_per_second() == 50);
    CHECK(overlapping.flops_per_second() == 5e8);
    CHECK_THAT(format_text(overlapping), Catch::Contains("2.667 s a step (means of 3 steps)"));
  }
  benchmark.work_seconds[static_cast<size_t>(Work::attention)] = 3;
  benchmark.work_seconds[static_cast<size_t>(Work::other)] = 1;
  CHECK_THAT(format_text(benchmark),
             Catch::StartsWith("N 6; bf16\n"
                               "50 target tokens/s, 2.000 s a step (medians of 3 steps)\n"
                               "0 GFLOP/s for the model, 50.0 % of the 1 GFLOP/s of its matrix products alone\n"
                               "peak memory 1.5 kB; loss 5.0000 to 4.5000\n"
                               "  0.0 % matrix products\n  75.0 % attention\n"));
  const Json json = Json::parse(format_json(benchmark));
  CHECK(json.at("target_tokens_per_second") == 50);
  CHECK(json.at("step_seconds") == 2);
  CHECK(json.at("model_flops_per_second") == 5e8);
  CHECK(json.at("matrix_product_flops_per_second") == 1e9);
  CHECK(json.at("model_flops_utilization") == 0.5);
  CHECK(json.at("peak_memory_bytes") == 1500);
  CHECK(json.at("loss") == 4.5);
  CHECK(json.at("work").at("other") == 0.25);
  CHECK(json.at("work").size() == std::tuple_size_v<WorkSeconds>);

  benchmark.work_seconds = {};
  CHECK(Json::parse(format_json(benchmark)).at("work").empty());
}

}  // namespace transformer
