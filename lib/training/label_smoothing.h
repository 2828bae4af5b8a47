#pragma once

#include <torch/torch.h>

#include "ops/linear_cross_entropy.h"

namespace transformer {

/// §5.4, Deviation D4: (1 - eps_ls) * -log p(target) + eps_ls * mean over the vocabulary of -log p, summed over the
/// target tokens that are not `pad`, where p = softmax(decoder_output weight^T). decoder_output [B, T, d_model]; weight
/// [vocab, d_model], the shared matrix of §3.4; target_out [B, T].
LossSums label_smoothed_cross_entropy(const torch::Tensor& decoder_output, const torch::Tensor& weight,
                                      const torch::Tensor& target_out, double eps_ls, int64_t pad);

}  // namespace transformer
