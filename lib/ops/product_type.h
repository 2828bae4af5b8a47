#pragma once

#include <torch/types.h>

namespace transformer {

/// The data type in which this thread multiplies x by a matrix: that of its PrecisionScope, or else that of x.
torch::ScalarType product_type(const torch::Tensor& x);

/// x in fp32, or unchanged if it is fp64.
torch::Tensor at_least_fp32(const torch::Tensor& x);

}  // namespace transformer
