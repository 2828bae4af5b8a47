#pragma once

#include <ATen/core/Tensor.h>

namespace transformer::cpu {

/// Whether bf16_product can be called: MKL is part of LibTorch, as in its builds for x86.
bool has_bf16_product();

/// result = a b, or with `add` result += a b, with a [m, k] and b [k, n] in bf16 and result [m, n] in fp32. The rows of
/// `result` and the rows or the columns of a and b must be contiguous. Sums are in fp32. The function is MKL's, which
/// multiplies with the processor's bf16 instructions and, where it has none, as fast as in fp32. Unlike oneDNN, which
/// LibTorch's own operators use in bf16, it compiles no kernel for each size, and does not round the result.
void bf16_product(const at::Tensor& a, const at::Tensor& b, bool add, const at::Tensor& result);

}  // namespace transformer::cpu
