#include "ops/linear.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "kernels/cpu/bf16_product.h"
#include "kernels/cpu/bias_relu.h"
#include "kernels/cpu_kernels.h"
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

torch::Tensor rounded(const torch::Tensor& x) { return x.to(torch::kBFloat16); }

/// x W^T + b, with ReLU in bf16 and without it in fp32; the factors of all three products in bf16, their sums in fp32.
/// The first `fp32_outputs` columns of the result are computed without rounding the factors.
class CpuBf16Linear : public torch::autograd::Function<CpuBf16Linear> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const std::optional<torch::Tensor>& bias, bool relu, int64_t fp32_outputs) {
    const auto factor = rounded(x), matrix = rounded(weight);
    const bool add_bias = bias && !relu;
    auto y = torch::empty({x.size(0), weight.size(0)}, x.options().dtype(torch::kFloat));
    if (add_bias) y.copy_(*bias);
    if (fp32_outputs > 0) {
      add_product(y.narrow(1, 0, fp32_outputs), x.to(torch::kFloat), weight.narrow(0, 0, fp32_outputs).t(), add_bias);
    }
    const int64_t others = weight.size(0) - fp32_outputs;
    if (others > 0) {
      add_product(y.narrow(1, fp32_outputs, others), factor, matrix.narrow(0, fp32_outputs, others).t(), add_bias);
    }
    if (relu) y = cpu::bias_relu(y, *bias);
    context->save_for_backward({factor, matrix, relu ? y : torch::Tensor()});
    context->saved_data["x_type"] = x.scalar_type();
    context->saved_data["has_bias"] = bias.has_value();
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &weight = saved[1], &y = saved[2];
    const auto by_y = y.defined() ? torch::threshold_backward(rounded(gradients[0]), y, 0) : gradients[0];
    const auto factor = rounded(by_y).contiguous();
    const auto by_x = product(factor, weight).to(context->saved_data["x_type"].toScalarType());
    const bool has_bias = context->saved_data["has_bias"].toBool();
    const auto by_bias = has_bias ? by_y.sum(0, /*keepdim=*/false, torch::kFloat) : torch::Tensor();
    return {by_x, product(factor.t(), x), by_bias, {}, {}};
  }

 private:
  /// a b in fp32.
  static torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b) {
    auto result = torch::empty({a.size(0), b.size(1)}, a.options().dtype(torch::kFloat));
    add_product(result, a, b, /*add=*/false);
    return result;
  }
};

}  // namespace

bool use_bf16_product(const torch::Tensor& x) {
  return !use_gpu_kernel({x}) && use_cpu_kernel({x}) && product_type(x) == torch::kBFloat16 && cpu::has_bf16_product();
}

void add_product(const torch::Tensor& result, const torch::Tensor& a, const torch::Tensor& b, bool add) {
  if (result.scalar_type() == a.scalar_type()) {
    result.addmm_(a, b, /*beta=*/add ? 1 : 0);
  } else if (result.scalar_type() == torch::kFloat && use_bf16_product(a)) {
    RECORD_USER_SCOPE("product");
    cpu::bf16_product(a, b, add, result);
  } else if (add) {
    result.add_(torch::mm(a, b));
  } else {
    result.copy_(torch::mm(a, b));
  }
}

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     int64_t fp32_outputs) {
  if (!use_bf16_product(x)) return torch::linear(x, weight, bias);
  return CpuBf16Linear::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt, /*relu=*/false,
                              fp32_outputs);
}

torch::Tensor linear_relu(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  if (use_bf16_product(x)) return CpuBf16Linear::apply(x, weight, std::optional(bias), /*relu=*/true, 0);
  if (!use_gpu_kernel({x, weight, bias})) return torch::linear(x, weight, bias).relu_();
  const auto type = product_type(x);
  return GpuLinearRelu::apply(x.to(type), weight.to(type), bias.to(type));
}

}  // namespace transformer
