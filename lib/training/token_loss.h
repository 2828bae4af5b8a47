#pragma once

#include <cmath>
#include <cstdint>

namespace transformer {

/// Losses summed over target tokens, in nats.
struct TokenLoss {
  double loss = 0;                     // label-smoothed
  double negative_log_likelihood = 0;  // unsmoothed
  int64_t target_tokens = 0;

  TokenLoss& operator+=(const TokenLoss& other) {
    loss += other.loss;
    negative_log_likelihood += other.negative_log_likelihood;
    target_tokens += other.target_tokens;
    return *this;
  }

  double loss_per_token() const { return loss / static_cast<double>(target_tokens); }
  double perplexity() const { return std::exp(negative_log_likelihood / static_cast<double>(target_tokens)); }
};

}  // namespace transformer
