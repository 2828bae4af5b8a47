#pragma once

#include <cstdint>
#include <optional>

#include "base/parameter_error.h"
#include "decoding/decoding_config.h"

namespace transformer {

/// Settings of the search that replace those in the model's config.
struct DecodingOverrides {
  std::optional<int64_t> beam_size, max_extra_tokens;
  std::optional<double> alpha;
  std::optional<LengthPenaltyForm> length_penalty;
  std::optional<bool> trees;

  /// `config` with these settings in place of its own. Throws ParameterError if one of them has no effect.
  DecodingConfig applied_to(const DecodingConfig& config) const {
    if (alpha && length_penalty.value_or(config.length_penalty) == LengthPenaltyForm::none) {
      throw ParameterError(
          "'alpha' has no effect without a length penalty; leave it out, or give 'length_penalty' gnmt or average");
    }
    DecodingConfig result = config;
    if (beam_size) result.beam_size = *beam_size;
    if (alpha) result.alpha = *alpha;
    if (length_penalty) result.length_penalty = *length_penalty;
    if (max_extra_tokens) result.max_extra_tokens = *max_extra_tokens;
    if (trees) result.trees = *trees;
    return result;
  }
};

}  // namespace transformer
