#pragma once

#include <torch/types.h>

namespace transformer {

/// Sums over the target tokens, in nats. The caller divides them by the number of tokens of the training step.
struct LossSums {
  torch::Tensor loss;                     // [] label-smoothed, differentiable
  torch::Tensor negative_log_likelihood;  // [] without label smoothing, for the perplexity; not differentiable
};

/// The output projection fused with the label-smoothed cross-entropy of §5.4 (Deviation D4): with p = softmax(x
/// weight^T + bias), the sum over the rows of (1 - eps_ls) * -log p(target) + eps_ls * mean over the vocabulary of
/// -log p. x [tokens, d_model]; weight [vocab, d_model]; targets [tokens] in int64; bias [vocab] or undefined. The
/// softmax is computed in fp32 or fp64.
///
/// The logits [tokens, vocab] would be by far the largest tensor of a training step, so they are never stored as a
/// whole: the projection, the loss and the gradient are computed for one block of rows after the other.
LossSums linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                              double eps_ls, const torch::Tensor& bias = {});

/// How many rows of logits linear_cross_entropy computes at a time. The number is large enough that adding a block's
/// share to the weight's gradient costs little compared with the products. On a CPU: 16 MB of logits in fp32, but at
/// least 256 and at most 2,048 rows. On a GPU: 2^27 logits, 256 MB in bf16 or 512 MB in fp32.
/// `is_gpu` is true where GPU kernels run, also on the host.
int64_t loss_block_rows(bool is_gpu, int64_t vocab);

/// log p(target) of each row, [tokens], in fp32 or fp64; not differentiable. Arguments as for linear_cross_entropy.
torch::Tensor target_log_probs(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                               const torch::Tensor& bias = {});

}  // namespace transformer
