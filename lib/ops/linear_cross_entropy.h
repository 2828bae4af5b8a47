#pragma once

#include <torch/types.h>

namespace transformer {

/// Sums over the target tokens, in nats; to be divided once by the number of tokens in the whole step.
struct LossSums {
  torch::Tensor loss;                     // [] label-smoothed; gradients flow from here
  torch::Tensor negative_log_likelihood;  // [] unsmoothed, for the reported perplexity; no gradients
};

/// The output projection and the loss of §5.4 in one: with p = softmax(x weight^T),
/// (1 - eps_ls) * -log p(target) + eps_ls * mean over the vocabulary of -log p, summed over the rows (Deviation D4).
/// x [tokens, d_model]; weight [vocab, d_model]; targets [tokens]. The softmax is in fp32 at least.
///
/// The logits [tokens, vocab], by far the largest tensor of a step, never exist: a block of rows at a time is
/// projected, turned into its loss and at once into its gradient.
LossSums linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                              double eps_ls);

/// log p(target) of each row: [tokens], in fp32 at least and without gradients. Arguments as above.
torch::Tensor target_log_probs(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets);

/// `linear_cross_entropy` from LibTorch's own operations, logits and all: what the fused form is tested against.
LossSums plain_linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                                    double eps_ls);

}  // namespace transformer
