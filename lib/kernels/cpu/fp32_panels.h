#pragma once

#include <torch/types.h>

namespace transformer::cpu {

// Products with a matrix W [out, in] in fp32, stored in panels (panels.h). For the few
// rows of a small search they are up to twice as fast as the libraries', which prepare each product anew, and for many
// rows equally fast. Each sum is added up in the order of its terms, so a row of the product does not depend on its
// neighbors.

/// weight [out, in]. Returns the panels [panels, in, panel_width()].
torch::Tensor pack_fp32_panels(const torch::Tensor& weight);

/// x [rows, in]; bias [panels * panel_width()], zero where there is none. Returns x W^T + b [rows, out].
torch::Tensor multiply_fp32_panels(const torch::Tensor& x, const torch::Tensor& panels, const torch::Tensor& bias,
                                   int64_t out);

/// The rows of W with the indices [n]: [n, in].
torch::Tensor rows_of_fp32_panels(const torch::Tensor& panels, const torch::Tensor& indices);

}  // namespace transformer::cpu
