#pragma once

#include <torch/types.h>

#include "kernels/cpu/quantize_rows.h"

namespace transformer::cpu {

// Products with a matrix W [out, in] in int8, stored in panels (panels.h), for x86 processors without VNNI, where they
// are faster than the libraries'.

inline constexpr int64_t kInt8Unit = 4;           // numbers of W in a unit
inline constexpr int64_t kInt8UnitsTogether = 2;  // units of a row whose products are added in int16, four by four

/// Activations are quantized to 182 levels, so that the sum of four products fits into int16 if the sum of the four
/// weights is at most 32767 / 181, which is 181, too: neither side is much coarser than the other.
inline constexpr int32_t kInt8MaxLevel = 181;

/// A quantized matrix and its bias: W[i] is about scales[i] * the levels of row i.
struct Int8Panels {
  torch::Tensor panels;  // int32 [panels, depth, panel_width()], each element a unit
  torch::Tensor sums;    // int32 [panels * panel_width()]: the sum of the levels of each row of W
  torch::Tensor scales;  // [panels * panel_width()]
  torch::Tensor bias;    // [panels * panel_width()]
  int64_t out;
};

/// weight [out, in] in fp32; bias [out] or undefined. A row of W is quantized symmetrically, as finely as the sums of
/// four products allow.
Int8Panels pack_int8_panels(const torch::Tensor& weight, const torch::Tensor& bias);

/// x [rows, depth * kInt8Unit] in uint8, quantized by quantize_rows to kInt8MaxLevel. Returns x W^T + b [rows, out] in
/// fp32.
torch::Tensor multiply_int8_panels(const torch::Tensor& x, const std::vector<RowQuantization>& rows,
                                   const Int8Panels& weight);

}  // namespace transformer::cpu
