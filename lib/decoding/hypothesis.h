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

  void append(int64_t token, double token_log_prob) {
    tokens.push_back(token);
    token_log_probs.push_back(static_cast<float>(token_log_prob));
    log_prob += token_log_prob;
  }

  /// The score with this length penalty (§6.1).
  double score(const LengthPenalty& penalty) const { return penalty.score(log_prob, std::ssize(tokens)); }
};

}  // namespace transformer
