#include "ops/product_type.h"

#include <ATen/autocast_mode.h>

namespace transformer {

torch::ScalarType product_type(const torch::Tensor& x) {
  const auto device = x.device().type();
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device) : x.scalar_type();
}

torch::Tensor at_least_fp32(const torch::Tensor& x) {
  return x.scalar_type() == torch::kDouble ? x : x.to(torch::kFloat);
}

}  // namespace transformer
