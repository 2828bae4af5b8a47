#pragma once

#include <torch/types.h>

namespace transformer {

/// The most likely tokens of each row, with their log-probabilities.
struct TopTokens {
  torch::Tensor tokens;     // [rows, count], best first
  torch::Tensor log_probs;  // [rows, count], fp32
  torch::Tensor log_sums;   // [rows]: for any token, log P(token) = logit - log_sum
};

/// The softmax over the vocabulary and its `count` largest values (all of them if the vocabulary is smaller) of logits
/// [rows, vocab] in fp32. A CPU reads the logits once.
TopTokens top_tokens(const torch::Tensor& logits, int64_t count);

}  // namespace transformer
