#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "decoding/decoding_config.h"
#include "inference/translator_options.h"
#include "ops/packed_weight.h"

namespace transformer {

/// What the command `benchmark translate` is asked to measure.
struct TranslationBenchmarkTask {
  std::string model, input;
  int64_t lines = 0;  // of the input; 0: all
  int64_t rounds = 3;
  int64_t beam_size = DecodingConfig().beam_size;
  TranslatorOptions translator = {};
  WeightType weight_type = WeightType::fp32;
};

/// The speed and memory of translating one text.
struct TranslationBenchmark {
  std::string setup;                           // as benchmark_setup() describes it
  double lines_per_second, tokens_per_second;  // medians of the rounds
  int64_t lines, tokens;                       // in one round: input lines, output tokens
  int64_t peak_bytes;                          // see peak_memory; including loading the model
};

/// Translates the text `rounds` times, from memory to memory, after one line for warm-up. Throws Error if a file cannot
/// be read or the input is empty.
TranslationBenchmark measure_translation(const TranslationBenchmarkTask& task, torch::Device device);

/// A few lines for people.
std::string format_text(const TranslationBenchmark& benchmark);
/// A JSON object.
std::string format_json(const TranslationBenchmark& benchmark);

}  // namespace transformer
