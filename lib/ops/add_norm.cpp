#include "ops/add_norm.h"

#include "kernels/cpu/add_norm.h"
#include "kernels/cpu_kernels.h"
#include "kernels/gpu/launch.h"
#include "kernels/gpu_kernels.h"
#include "ops/dropout.h"
#include "ops/saved_mask.h"

namespace transformer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The CPU kernel with its backward pass.
class CpuAddNorm : public torch::autograd::Function<CpuAddNorm> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x_in, const torch::Tensor& output_in,
                               const DropoutMask& mask, const torch::Tensor& weight, const torch::Tensor& bias,
                               double epsilon) {
    RECORD_USER_SCOPE("normalization");
    const auto x = x_in.contiguous(), output = output_in.contiguous();
    const auto [y, rstd] = cpu::add_norm_forward(x, output, mask, weight, bias, epsilon);
    // The layers that read y keep it in any case, so storing it for the backward pass, which recovers the normalized
    // sum from it, costs no memory.
    if (cpu::can_recover_normalized(weight, bias)) {
      context->save_for_backward({y, bias, weight.reciprocal(), rstd, weight});
    } else {
      const auto ones = torch::ones_like(weight), zeros = torch::zeros_like(bias);
      const auto normalized = cpu::add_norm_forward(x, output, mask, ones, zeros, epsilon).y;
      context->save_for_backward({normalized, zeros, ones, rstd, weight});
    }
    save_mask(context, mask);
    context->saved_data["output_type"] = output.scalar_type();
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    RECORD_USER_SCOPE("normalization");
    const auto saved = context->get_saved_variables();
    const auto by =
        cpu::add_norm_backward(gradients[0].contiguous(), {saved[0], saved[1], saved[2], saved[3], saved[4]},
                               saved_mask(context), context->saved_data["output_type"].toScalarType());
    return {by.x, by.output, {}, by.weight, by.bias, {}};
  }
};

/// The GPU kernels. Returns y and, unless the output is in fp32, y in the output's type.
class GpuAddNorm : public torch::autograd::Function<GpuAddNorm> {
 public:
  static variable_list forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& output,
                               const DropoutMask& mask, const torch::Tensor& weight, const torch::Tensor& bias,
                               double epsilon) {
    RECORD_USER_SCOPE("normalization");
    const auto result = gpu::add_norm_forward(x.contiguous(), output.contiguous(), mask, weight, bias, epsilon,
                                              /*needs_gradient=*/true);
    context->save_for_backward({result.normalized, result.rstd, weight});
    save_mask(context, mask);
    context->saved_data["output_type"] = output.scalar_type();
    context->set_materialize_grads(false);
    return result.rounded.defined() ? variable_list{result.y, result.rounded} : variable_list{result.y};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    RECORD_USER_SCOPE("normalization");
    const auto saved = context->get_saved_variables();
    const auto contiguous = [](const torch::Tensor& x) { return x.defined() ? x.contiguous() : x; };
    const auto by = gpu::add_norm_backward(
        contiguous(gradients[0]), gradients.size() > 1 ? contiguous(gradients[1]) : torch::Tensor(), saved[0], saved[1],
        saved[2], saved_mask(context), context->saved_data["output_type"].toScalarType());
    return {by.x, by.output, {}, by.weight, by.bias, {}};
  }
};

}  // namespace

PackedSequence add_norm(const PackedSequence& x, const PackedSequence& output, double p, const torch::Tensor& weight,
                        const torch::Tensor& bias, double epsilon) {
  const int64_t width = x.data.size(1);
  TORCH_CHECK(x.data.dim() == 2 && x.data.sizes() == output.data.sizes() &&
                  x.data.size(0) == x.packing.num_positions() && weight.size(0) == width && bias.size(0) == width,
              "x ", x.data.sizes(), ", output ", output.data.sizes(), ", weight ", weight.sizes(), ", bias ",
              bias.sizes(), ", ", x.packing.num_positions(), " positions");
  const auto mask = next_dropout_mask(x.packing, p);
  const bool needs_gradient = torch::GradMode::is_enabled();  // otherwise nothing is stored for a backward pass
  if (use_gpu_kernel({x.data, output.data, weight}) && width <= gpu::kMaxNormWidth) {
    if (!needs_gradient) {
      const auto result = gpu::add_norm_forward(x.data.contiguous(), output.data.contiguous(), mask, weight, bias,
                                                epsilon, /*needs_gradient=*/false);
      return {result.y, x.packing, result.rounded};
    }
    const auto y = GpuAddNorm::apply(x.data, output.data, mask, weight, bias, epsilon);
    return {y[0], x.packing, y.size() > 1 ? y[1] : torch::Tensor()};
  }
  if (!use_cpu_kernel({x.data, output.data, weight}, {width})) {
    return x.with_data(torch::layer_norm(x.data + dropout(output.data, mask), {width}, weight, bias, epsilon));
  }
  if (!needs_gradient) {
    return x.with_data(
        cpu::add_norm_forward(x.data.contiguous(), output.data.contiguous(), mask, weight, bias, epsilon).y);
  }
  return x.with_data(CpuAddNorm::apply(x.data, output.data, mask, weight, bias, epsilon));
}

}  // namespace transformer
