#pragma once

#include <torch/types.h>

namespace transformer {

/// max(0, x weight^T + bias), the first layer of Eq. 2: x [rows, in]; weight [out, in]; bias [out]. Returns [rows,
/// out]. On a GPU, cuBLAS applies bias and ReLU to the product before it is written.
torch::Tensor linear_relu(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace transformer
