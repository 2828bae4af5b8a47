#pragma once

#include <torch/types.h>

namespace transformer {

/// The most likely tokens of each row of logits, with their log-probabilities.
struct TopTokens {
  torch::Tensor tokens;     // int64 [rows, count], best first; of equal ones the lower id, except by LibTorch's topk
  torch::Tensor log_probs;  // [rows, count], fp32
  torch::Tensor logsumexp;  // [rows], fp32: for any token, log P(token) = logit - logsumexp
};

}  // namespace transformer
