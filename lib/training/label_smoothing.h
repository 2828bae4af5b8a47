#pragma once

#include <torch/torch.h>

namespace transformer {

/// Sums over the target tokens, in nats; to be divided once by the number of tokens in the whole step.
struct LossSums {
  torch::Tensor loss;                     // [] label-smoothed; gradients flow from here
  torch::Tensor negative_log_likelihood;  // [] unsmoothed, for the reported perplexity; no gradients
};

/// §5.4: (1 - eps_ls) * -log p(target) + eps_ls * mean over the vocabulary of -log p, summed over the tokens whose
/// target is not `pad`. logits [B, T, vocab] or [tokens, vocab]; targets [B, T] or [tokens].
/// In fp32 at least, whatever the logits' precision.
LossSums label_smoothed_cross_entropy(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                      int64_t pad);

}  // namespace transformer
