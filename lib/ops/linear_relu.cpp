#include "ops/linear_relu.h"

#include <torch/csrc/autograd/custom_function.h>

#include "kernels/gpu_kernels.h"
#include "ops/product_type.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// LibTorch has the operator, but not its derivative.
class GpuLinearRelu : public torch::autograd::Function<GpuLinearRelu> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias) {
    const auto y = torch::_addmm_activation(bias, x, weight.t());
    context->save_for_backward({x, weight, y});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &weight = saved[1], &y = saved[2];
    const auto gradient = torch::threshold_backward(gradients[0], y, 0);
    return {gradient.mm(weight), gradient.t().mm(x), gradient.sum(0)};
  }
};

}  // namespace

torch::Tensor linear_relu(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!use_gpu_kernel({x, weight, bias})) return torch::linear(x, weight, bias).relu_();
  const auto type = product_type(x);
  return GpuLinearRelu::apply(x.to(type), weight.to(type), bias.to(type));
}

}  // namespace transformer
