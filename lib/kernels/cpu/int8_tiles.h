#pragma once

#include <torch/types.h>

#include "kernels/cpu/int8_dequantization.h"

namespace transformer::cpu {

// Products in the matrix unit AMX of x86 processors (can_use_amx()), whose registers, the tiles, hold 16 rows of 64
// bytes. Panels for AVX-512 are two tiles wide.

inline constexpr int64_t kTileRows = 16;
inline constexpr int64_t kTileUnits = 16;  // of four bytes: one row of a tile

/// levels [a multiple of kTileRows, depth * 4] in uint8; panels [panels, depth, panel_width()] in int32, depth a
/// multiple of kTileUnits. Returns the product of the first `rows` rows, [rows, out] in fp32.
torch::Tensor multiply_int8_tiles(const torch::Tensor& levels, int64_t rows, const torch::Tensor& panels, int64_t out,
                                  const Dequantization& to);

}  // namespace transformer::cpu
