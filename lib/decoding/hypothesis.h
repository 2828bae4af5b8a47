#pragma once

#include <iterator>
#include <vector>

#include "decoding/length_penalty.h"
#include "decoding/progress.h"
#include "text/special_tokens.h"

namespace transformer {

/// A sequence of output tokens and its log-probability.
struct Hypothesis {
  std::vector<TokenId> tokens;              // including the end symbol, if finished
  double log_prob = 0;                      // with what logits processors have added
  std::vector<float> token_log_probs = {};  // their sum is log_prob
  Progress progress = {};                   // towards the goals of logits processors

  void append(TokenId token, double token_log_prob) {
    tokens.push_back(token);
    token_log_probs.push_back(static_cast<float>(token_log_prob));
    log_prob += token_log_prob;
  }

  /// The score with this length penalty (§6.1).
  double score(const LengthPenalty& penalty) const { return penalty.score(log_prob, std::ssize(tokens)); }
};

}  // namespace transformer
