#pragma once

#include <torch/types.h>

#include <vector>

namespace transformer {

/// The type in which this thread takes the product of x with a matrix: that of its PrecisionScope, or x's own.
torch::ScalarType product_type(const torch::Tensor& x);

/// x in that type for each of several products: cast once, while their gradients are summed in x's own type.
std::vector<torch::Tensor> cast_for_products(const torch::Tensor& x, size_t products);

}  // namespace transformer
