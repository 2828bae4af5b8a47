#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "platform/work_meter.h"

namespace transformer {

/// The speed and memory of training steps on synthetic data.
struct TrainingBenchmark {
  struct Step {
    double seconds;
    double tokens;  // target tokens
    double flops;   // of the matrix products, for sentences of the actual lengths
  };

  std::string setup;           // as benchmark_setup() describes it
  bool steps_overlap = false;  // on a GPU, which begins a step while the host launches the next ones
  std::vector<Step> steps;
  double product_flops_per_second = 0;  // reached by the step's matrix products alone
  WorkSeconds work_seconds{};           // of each kind of work in some steps
  int64_t peak_bytes = 0;               // see peak_memory
  double first_loss = 0, last_loss = 0;

  // Medians over the steps, or where the steps overlap the means of all together.
  double step_seconds() const;
  double tokens_per_second() const;
  double flops_per_second() const;
  /// The share of the matrix products' own speed that whole steps reach.
  double utilization() const { return flops_per_second() / product_flops_per_second; }
};

/// Takes training steps with the config's model and settings on synthetic sentence pairs, after 2 steps for warm-up (20
/// on a GPU).
TrainingBenchmark measure_training(const Config& config, int64_t steps, torch::Device device);

/// A few lines for people.
std::string format_text(const TrainingBenchmark& benchmark);
/// A JSON object.
std::string format_json(const TrainingBenchmark& benchmark);

}  // namespace transformer
