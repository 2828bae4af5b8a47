#pragma once

#include <torch/types.h>

namespace transformer::cpu {

/// Sums over a block of rows.
struct CrossEntropySums {
  torch::Tensor loss, negative_log_likelihood;  // [] in fp32
};

/// Label-smoothed cross entropy (§5.4) of logits [rows, vocab] in fp32 or bf16, contiguous, and int64 targets [rows].
/// If `needs_gradient`, overwrites the logits with the gradient of the loss with respect to them.
CrossEntropySums cross_entropy_in_place(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                        bool needs_gradient);

}  // namespace transformer::cpu
