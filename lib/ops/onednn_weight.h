#pragma once

#include <torch/types.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

// Weights for oneDNN, LibTorch's library on CPUs. weight and bias are pack_weight's, in CPU memory.

/// fp32 or bf16 (`type`), in oneDNN's own layout.
std::unique_ptr<const PackedWeight> pack_onednn_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                       torch::ScalarType type);

/// int8: W and x are quantized symmetrically per row.
std::unique_ptr<const PackedWeight> pack_onednn_int8_weight(const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace transformer
