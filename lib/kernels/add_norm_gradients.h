#pragma once

#include <torch/types.h>

namespace transformer {

/// The gradients of LayerNorm(x + Dropout(output)) with respect to its inputs and its parameters.
struct AddNormGradients {
  torch::Tensor x, output;     // [positions, width]
  torch::Tensor weight, bias;  // [width]
};

}  // namespace transformer
