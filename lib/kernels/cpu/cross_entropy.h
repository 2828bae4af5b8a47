#pragma once

#include <torch/types.h>

namespace transformer::cpu {

/// Sums over a block of rows.
struct CrossEntropySums {
  torch::Tensor loss, negative_log_likelihood;  // [] in fp32
};

/// Label-smoothed cross entropy (§5.4) of logits [rows, vocab] in fp32 or bf16, contiguous, and int64 targets [rows].
/// If `gradient` [rows, vocab] in fp32 or bf16, with contiguous rows, is defined, the gradient of the loss with respect
/// to the logits is written to it, after which the logits have no meaning: a row of `gradient` may begin where the
/// logits of the same row do.
CrossEntropySums cross_entropy_in_place(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                        const torch::Tensor& gradient);

}  // namespace transformer::cpu
