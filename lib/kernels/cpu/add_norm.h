#pragma once

#include <torch/types.h>

#include "kernels/add_norm_gradients.h"
#include "kernels/dropout_mask.h"

namespace transformer::cpu {

// LayerNorm(x + Dropout(output)) (§3.1): x, y and their gradients [positions, width] in fp32; output and its gradient
// the same or in bf16; weight, bias [width]. Contiguous; the width is a multiple of kMaxLanes.

struct AddNormOutput {
  torch::Tensor y;
  torch::Tensor rstd;  // [positions]: 1 / sqrt(variance + epsilon)
};

AddNormOutput add_norm_forward(const torch::Tensor& x, const torch::Tensor& output, const DropoutMask& mask,
                               const torch::Tensor& weight, const torch::Tensor& bias, double epsilon);

/// Whether (y - bias) / weight recovers the normalized sum to all but a few of its last bits.
bool can_recover_normalized(const torch::Tensor& weight, const torch::Tensor& bias);

/// What the backward pass reads; the normalized sum is (stored - shift) * factor.
struct AddNormContext {
  torch::Tensor stored;         // [positions, width]
  torch::Tensor shift, factor;  // [width]
  torch::Tensor rstd;           // [positions]
  torch::Tensor weight;         // [width]
};

AddNormGradients add_norm_backward(const torch::Tensor& y_gradient, const AddNormContext& context,
                                   const DropoutMask& mask, torch::ScalarType output_type);

}  // namespace transformer::cpu
