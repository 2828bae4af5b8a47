#pragma once

#include <ATen/core/Tensor.h>

namespace transformer::cpu {

/// max(0, x + bias), rounded to bf16: x [rows, width] in fp32, contiguous; bias [width] in fp32, contiguous.
at::Tensor bias_relu(const at::Tensor& x, const at::Tensor& bias);

}  // namespace transformer::cpu
