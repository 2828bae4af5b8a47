#pragma once

#include <torch/torch.h>

namespace transformer {

/// tokens [B, S]. Returns [B, 1, 1, S], true where there is a token and not padding.
torch::Tensor padding_mask(const torch::Tensor& tokens, int64_t pad);

/// §3.2.3: position i may attend to positions 0 ... i. Returns [T, T], true where it may.
torch::Tensor causal_mask(int64_t T, torch::Device device);

}  // namespace transformer
