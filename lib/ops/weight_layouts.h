#pragma once

#include <torch/types.h>

#include <memory>

#include "ops/packed_weight.h"

namespace transformer {

// Weights in the layouts of the libraries and kernels that multiply them, in CPU memory. weight and bias are
// pack_weight's. Where "may be null" is said, the result is null if the processor or the tensor does not suit.

/// oneDNN, LibTorch's library on CPUs: fp32 or bf16 (`type`).
std::unique_ptr<const PackedWeight> pack_onednn_weight(const torch::Tensor& weight, const torch::Tensor& bias,
                                                       torch::ScalarType type);

/// oneDNN, int8: x is quantized symmetrically per row.
std::unique_ptr<const PackedWeight> pack_onednn_int8_weight(const QuantizedMatrix& weight, const torch::Tensor& bias);

/// The kernels of kernels/cpu/fp32_panels.h. May be null.
std::unique_ptr<const PackedWeight> pack_fp32_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias);

/// The kernels of kernels/cpu/bf16_panels.h. May be null.
std::unique_ptr<const PackedWeight> pack_bf16_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias);

/// The kernels of kernels/cpu/int8_panels.h: W is quantized symmetrically per row, x asymmetrically per row. May be
/// null.
std::unique_ptr<const PackedWeight> pack_int8_panel_weight(const torch::Tensor& weight, const torch::Tensor& bias);
std::unique_ptr<const PackedWeight> pack_int8_panel_weight(const QuantizedMatrix& weight, const torch::Tensor& bias);

}  // namespace transformer
