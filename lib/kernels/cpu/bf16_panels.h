#pragma once

#include <torch/types.h>

namespace transformer::cpu {

// Products with a matrix W [out, in] in bf16, stored in panels (panels.h), for x86 processors with AVX-512 and its
// instructions for bf16, or AMX. x is rounded to bf16; sums are in fp32.

/// Whether the processor has these instructions, and kernels may use them.
bool has_bf16_panels();

/// weight [out, in] in bf16. Returns [panels, depth, panel_width()] in int32, each element two adjacent numbers of a
/// row.
torch::Tensor pack_bf16_panels(const torch::Tensor& weight);

/// x [rows, in] in fp32; bias [panels * panel_width()] in fp32. Returns x W^T + b [rows, out] in fp32. A row's product
/// does not depend on the other rows.
torch::Tensor multiply_bf16_panels(const torch::Tensor& x, const torch::Tensor& panels, const torch::Tensor& bias,
                                   int64_t out);

}  // namespace transformer::cpu
