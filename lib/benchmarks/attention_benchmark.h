#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// Time and memory of one encoder self-attention, forward and backward, over sequences of several lengths.
struct AttentionBenchmark {
  struct Measurement {
    int64_t length;
    double seconds;      // the median of the repetitions
    int64_t peak_bytes;  // of tensors, without the parameters and the input
  };

  std::string machine;  // as describe_machine() describes it
  ModelConfig model;
  Precision precision = Precision::fp32;
  std::vector<Measurement> measurements;
};

/// Measures a self-attention of the config's shape, window (`model.r`) and precision on random input. Each length is
/// measured `repetitions` times after one run for warm-up.
AttentionBenchmark measure_attention(const Config& config, const std::vector<int64_t>& lengths, int64_t repetitions,
                                     torch::Device device);

/// A table with one line for each length.
std::string format_text(const AttentionBenchmark& benchmark);
/// A JSON object with the list "attention".
std::string format_json(const AttentionBenchmark& benchmark);

}  // namespace transformer
