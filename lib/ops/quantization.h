#pragma once

#include <torch/types.h>

namespace transformer {

/// A matrix in int8 with symmetric quantization per row: W[i] is about quantized[i] / inverse_scales[i]. An inverse
/// scale is 1 / scale, in the terms of PyTorch and RowQuantization; CTranslate2 calls the same number the scale.
struct QuantizedMatrix {
  torch::Tensor quantized;       // [rows, columns] in int8, from -127 to 127
  torch::Tensor inverse_scales;  // [rows]
};

/// Quantizes W [rows, columns] in fp32: the largest absolute value of a row becomes 127. A row of zeros has the inverse
/// scale 1.
QuantizedMatrix quantize(const torch::Tensor& W);

/// The matrix in fp32, as far as quantization has kept it.
torch::Tensor restore(const QuantizedMatrix& matrix);

}  // namespace transformer
