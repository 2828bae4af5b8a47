#pragma once

#include <torch/torch.h>

#include "ops/packing.h"

namespace transformer {

/// LayerNorm(x + Dropout(output)) (§3.1, §5.4): (s - mean) / sqrt(variance + epsilon) * weight + bias over the channels
/// of the sum s. x [positions, d_model] in fp32; output the same or in bf16; weight, bias [d_model]. Dropout with
/// probability `p` as `counter_dropout`'s; none where p is 0.
torch::Tensor residual_norm(const torch::Tensor& x, const torch::Tensor& output, const Packing& packing, double p,
                            const torch::Tensor& weight, const torch::Tensor& bias, double epsilon);

}  // namespace transformer
