#pragma once

#include <torch/torch.h>

namespace transformer {

/// A matrix in whole numbers from -127 to 127, each row with a scale of its own: W[i] is about whole[i] / scale[i].
struct QuantizedMatrix {
  torch::Tensor whole;  // [rows, columns] in int8
  torch::Tensor scale;  // [rows]: 127 / max |W[i]|; 1 for a row of zeros
};

/// W [rows, columns] in fp32.
QuantizedMatrix quantize(const torch::Tensor& W);

/// Rows that a quantized matrix is multiplied with, in whole numbers from 0 on, each with a scale of its own: x[i] is
/// about (whole[i] - quantized_zero()) * scale[i]. Where the processor does not multiply 8 bits exactly, these have 7.
struct QuantizedRows {
  torch::Tensor whole;  // [rows, columns] in uint8
  torch::Tensor scale;  // [n]
};

/// x [n, width] in fp32, with zeros behind up to `rows` and `columns`.
QuantizedRows quantize_rows(const torch::Tensor& x, int64_t rows, int64_t columns);

/// The whole number that stands for a row's 0.
int64_t quantized_zero();

}  // namespace transformer
