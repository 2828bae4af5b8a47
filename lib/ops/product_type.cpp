#include "ops/product_type.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class SharedCast : public torch::autograd::Function<SharedCast> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& x, torch::ScalarType type,
                               int64_t products) {
    context->saved_data["type"] = x.scalar_type();
    const auto cast = x.to(type);
    variable_list shared;
    for (int64_t i = 0; i < products; ++i) shared.push_back(cast.detach());
    return shared;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    auto sum = gradients[0].to(context->saved_data["type"].toScalarType());
    for (size_t i = 1; i < gradients.size(); ++i) sum.add_(gradients[i]);
    return {sum, {}, {}};
  }
};

}  // namespace

torch::ScalarType product_type(const torch::Tensor& x) {
  const auto device = x.device().type();
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device) : x.scalar_type();
}

std::vector<torch::Tensor> cast_for_products(const torch::Tensor& x, size_t products) {
  const auto type = product_type(x);
  if (type == x.scalar_type()) return std::vector<torch::Tensor>(products, x);
  return SharedCast::apply(x, type, static_cast<int64_t>(products));
}

}  // namespace transformer
