#pragma once

#include <cstdint>
#include <optional>

#include "decoding/decoding_config.h"
#include "decoding/output_control.h"
#include "decoding/sampling_options.h"

namespace transformer {

/// How a Translator works; the settings of the search are in DecodingConfig.
struct TranslatorOptions {
  int64_t batch_size = 64;  // sentences searched together, at most, by each worker
  /// Searches that run side by side on each device and share LibTorch's threads; null: on a CPU one for each thread,
  /// but at most one for each sentence, on a GPU one.
  std::optional<int64_t> workers = {};
  int64_t output_tokens = 0;      // length of every output, end symbol included, to measure speed; 0: free
  int64_t nbest = 1;              // translations to return for each line, at most the beam size
  bool alignment = false;         // whether to align output pieces with source pieces
  bool words = false;             // whether to tell the words of outputs with their probabilities
  bool word_alignment = false;    // whether to align output words with source words
  bool replace_unknowns = false;  // whether outputs take over the characters of unknown source pieces
  OutputControl control = {};     // what else is demanded of outputs; see also TranslationRequest::control
  std::optional<SamplingOptions> sampling = {};  // if set, outputs are sampled instead of searched for

  bool operator==(const TranslatorOptions&) const = default;
};

/// Throws ParameterError if outputs are sampled and more than one is to be returned for each line.
void check_sampling(const TranslatorOptions& options);
/// Throws ParameterError if the options contradict each other or the config.
void check_fits(const DecodingConfig& config, const TranslatorOptions& options);
/// Throws ParameterError if the control contradicts itself, the options or the config, or has no effect with them.
void check_control(const OutputControl& control, const TranslatorOptions& options, const DecodingConfig& config);

}  // namespace transformer
