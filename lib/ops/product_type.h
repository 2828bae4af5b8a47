#pragma once

#include <torch/types.h>

#include <vector>

namespace transformer {

/// The data type in which this thread multiplies x by a matrix: the precision of its PrecisionScope, or the type of x.
torch::ScalarType product_type(const torch::Tensor& x);

/// Copies of x in that type, one for each of several products: x is cast once, and the gradients of the products are
/// added in the type of x.
std::vector<torch::Tensor> cast_for_products(const torch::Tensor& x, size_t products);

}  // namespace transformer
