#pragma once

#include <torch/types.h>

namespace transformer::cpu {

// Products with a matrix W [out, in] in int8, stored in panels (panels.h), for x86 processors with AVX2 or later
// instructions. Activations are quantized row by row to the levels 0 ... M, weights to -127 ... 127. With VNNI or AMX,
// M is 255. Without, four products are added in 16 bits, so M is 181, and the four weights of such a sum may add up to
// 32767 / 181, which is 181, too: neither side is much coarser than the other.

/// A quantized matrix and its bias: W[i] is about scales[i] * the levels of row i.
struct Int8Panels {
  torch::Tensor panels;  // int32 [panels, depth, panel_width()], each element four adjacent levels of a row
  torch::Tensor sums;    // int32 [panels * panel_width()]: the sum of the levels of each row of W
  torch::Tensor scales;  // [panels * panel_width()]
  torch::Tensor bias;    // [panels * panel_width()]
  int64_t out;
};

/// weight [out, in] in fp32; bias [out] or undefined. A row of W is quantized symmetrically, as finely as the
/// processor's products allow.
Int8Panels pack_int8_panels(const torch::Tensor& weight, const torch::Tensor& bias);

/// The same for a matrix that is quantized already: levels [out, in] in int8, and inverse_scales [out], for which
/// weight[i] is about levels[i] / inverse_scales[i]. The levels are kept if the processor's products allow it.
Int8Panels pack_int8_panels(const torch::Tensor& levels, const torch::Tensor& inverse_scales,
                            const torch::Tensor& bias);

/// x [rows, in] in fp32. Returns x W^T + b [rows, out] in fp32. A row's product does not depend on the other rows.
torch::Tensor multiply_int8_panels(const torch::Tensor& x, const Int8Panels& weight);

}  // namespace transformer::cpu
