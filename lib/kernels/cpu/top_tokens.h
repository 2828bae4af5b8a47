#pragma once

#include <torch/types.h>

namespace transformer::cpu {

struct TopK {
  torch::Tensor indices;    // int64 [rows, count], largest first
  torch::Tensor log_probs;  // [rows, count]
  torch::Tensor log_sums;   // [rows]: log of the sum of e^logit
};

/// The `count` largest log-probabilities of each row of logits [rows, vocab] in fp32, contiguous, and the logarithm of
/// the softmax's denominator, in one pass. `count` is at most `vocab`.
TopK top_k(const torch::Tensor& logits, int64_t count);

}  // namespace transformer::cpu
