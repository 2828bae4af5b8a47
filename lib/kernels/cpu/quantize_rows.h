#pragma once

#include <torch/types.h>

#include <vector>

namespace transformer::cpu {

/// The quantization of one row: x is about scale * (level - zero_point). The scale is NaN if a value of the row is not
/// finite, and with it all products of the row.
struct RowQuantization {
  int32_t zero_point;
  float scale;
};

enum class QuantizationRange {
  symmetric,   // [-m, m], where m is the largest absolute value; the zero point is the same for all rows
  asymmetric,  // from the row's smallest to its largest value, 0 included
};

/// Rows whose range is smaller would have no finite inverse scale.
inline constexpr float kMinRange = 255 / 3.4028234663852886e38F;

/// Quantizes x [rows, width] in fp32 to the nearest of the levels 0 ... max_level, written to `levels` [at least rows,
/// at least width] in uint8 and padded with 0 beyond the width. Returns the quantization of each row.
std::vector<RowQuantization> quantize_rows(const torch::Tensor& x, int32_t max_level, QuantizationRange range,
                                           const torch::Tensor& levels);

/// Row i of y [rows, out] in fp32, contiguous, is multiplied by rows[i].scale; then bias [out], if defined, is added.
void scale_rows(const torch::Tensor& y, const std::vector<RowQuantization>& rows, const torch::Tensor& bias);

}  // namespace transformer::cpu
