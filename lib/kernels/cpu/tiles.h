#pragma once

#include <torch/types.h>

#include "kernels/cpu/int8_dequantization.h"

namespace transformer::cpu {

// Products with panels in the matrix unit AMX of x86 processors (can_use_amx()), whose registers, the tiles, hold 16
// rows of 64 bytes. Panels for AVX-512 are two tiles wide. x has `rows` rows and is padded to a multiple of kTileRows;
// the depth of the panels is a multiple of kTileUnits. The result is [rows, out] in fp32.

inline constexpr int64_t kTileRows = 16;
inline constexpr int64_t kTileUnits = 16;  // units of four bytes in a row of a tile

/// x [padded rows, depth * 4] in uint8, panels of int8.
torch::Tensor multiply_int8_tiles(const torch::Tensor& x, int64_t rows, const torch::Tensor& panels, int64_t out,
                                  const Dequantization& to);

/// x [padded rows, depth * 2] in bf16, panels of bf16, bias [panels * panel_width()] in fp32. Sums are in fp32.
torch::Tensor multiply_bf16_tiles(const torch::Tensor& x, int64_t rows, const torch::Tensor& panels, int64_t out,
                                  const torch::Tensor& bias);

}  // namespace transformer::cpu
