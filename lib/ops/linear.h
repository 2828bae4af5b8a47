#pragma once

#include <torch/types.h>

namespace transformer {

/// Whether this thread multiplies x by a matrix with cpu::bf16_product: x is in CPU memory, its PrecisionScope is bf16,
/// and the CPU kernels are switched on.
bool use_bf16_product(const torch::Tensor& x);

/// result = a b, or with `add` result += a b, with a [m, k] and b [k, n] of one type and result [m, n] of any.
void add_product(const torch::Tensor& result, const torch::Tensor& a, const torch::Tensor& b, bool add);

/// x W^T + b in the type of this thread's matrix products: x [rows, in], weight [out, in], bias [out] or undefined.
/// Returns [rows, out]; where use_bf16_product(x), sums in fp32 that are not rounded, and the first `fp32_outputs`
/// columns are those of a product in fp32, though not their gradients.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     int64_t fp32_outputs = 0);

/// max(0, x W^T + b) with weight and bias as above, in the type of this thread's matrix products; computed in one
/// operation on a GPU and where use_bf16_product(x).
torch::Tensor linear_relu(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

}  // namespace transformer
