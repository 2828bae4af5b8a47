#pragma once

#include <torch/types.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

// Weights for this program's own CPU kernels; null if the processor or the tensor does not suit them. weight and bias
// are pack_weight's.

/// fp32, with the kernels of kernels/cpu/fp32_panels.h.
std::unique_ptr<const PackedWeight> pack_fp32_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias);

/// int8, with the kernels of kernels/cpu/int8_panels.h: W is quantized symmetrically per row, x asymmetrically per row.
std::unique_ptr<const PackedWeight> pack_int8_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace transformer
