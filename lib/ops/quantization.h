#pragma once

#include <torch/types.h>

namespace transformer {

/// A matrix in int8 with symmetric quantization per row: W[i] is about quantized[i] / inverse_scales[i]. A scale is
/// what PyTorch, and RowQuantization, call so; CTranslate2 calls its inverse a scale.
struct QuantizedMatrix {
  torch::Tensor quantized;       // [rows, columns] in int8, from -127 to 127
  torch::Tensor inverse_scales;  // [rows]
};

/// Quantizes W [rows, columns] in fp32. The largest absolute value of a row becomes 127, or with `max_inverse_scales`
/// [rows] the largest integer for which the row's inverse scale does not exceed it. That of a row of zeros is 1.
QuantizedMatrix quantize(const torch::Tensor& W, const torch::Tensor& max_inverse_scales = {});

}  // namespace transformer
