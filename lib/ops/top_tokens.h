#pragma once

#include <torch/types.h>

namespace transformer {

/// The likeliest tokens of each row, and what turns the other logits into log-probabilities.
struct TopTokens {
  torch::Tensor tokens;     // [rows, count], best first
  torch::Tensor log_probs;  // [rows, count], fp32
  torch::Tensor log_sums;   // [rows]: log P(token) = logit - log_sum
};

/// Softmax over the vocabulary and its `count` largest values, in one pass over logits [rows, vocab] in fp32. Fewer
/// where the vocabulary is smaller.
TopTokens top_tokens(const torch::Tensor& logits, int64_t count);

}  // namespace transformer
