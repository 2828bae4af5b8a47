#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "decoding/length_penalty.h"

namespace transformer {

/// A sequence of output tokens and its log-probability.
struct Hypothesis {
  std::vector<int64_t> tokens;  // including the end symbol, if finished
  double log_prob = 0;
  std::vector<float> token_log_probs = {};  // their sum is log_prob

  /// The score with this length penalty (§6.1).
  double score(const LengthPenalty& penalty) const { return penalty.score(log_prob, std::ssize(tokens)); }
};

}  // namespace transformer
