#pragma once

#include <torch/types.h>

namespace transformer {

/// A matrix in int8 with symmetric quantization per row: W[i] is about levels[i] / levels_per_one[i]. CTranslate2 calls
/// levels_per_one a scale; PyTorch, and RowQuantization, its reciprocal.
struct QuantizedMatrix {
  torch::Tensor levels;          // [rows, columns] in int8, from -127 to 127
  torch::Tensor levels_per_one;  // [rows]
};

/// Quantizes W [rows, columns] in fp32. The largest absolute value of a row becomes 127, or with `max_levels_per_one`
/// [rows] the largest integer for which the row's levels_per_one does not exceed it. That of a row of zeros is 1.
QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& max_levels_per_one = {});

}  // namespace transformer
