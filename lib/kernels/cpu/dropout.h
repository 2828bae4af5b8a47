#pragma once

#include <torch/types.h>

#include "kernels/cpu/row_mask.h"
#include "kernels/dropout_mask.h"

namespace transformer::cpu {

/// Dropout on x [rows, width], contiguous, in fp32 or bf16; mask.p is above 0. Returns [rows, width].
torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask);

/// Applies a dropout mask to one row x [width], in place.
void drop_from_row(float* x, int64_t width, const RowMask& mask);

}  // namespace transformer::cpu
