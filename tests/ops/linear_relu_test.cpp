#include "ops/linear_relu.h"

#include <optional>

#include "catch.h"
#include "operation_recorder.h"
#include "ops/precision.h"
#include "tensors.h"

namespace transformer {
namespace {

/// y, then the gradients with respect to x, weight and bias.
std::vector<torch::Tensor> pass(Precision precision, bool is_gpu_form) {
  torch::manual_seed(1);
  const auto device = is_gpu_form ? GpuForm::device() : torch::kCPU;
  const auto random = [&](torch::IntArrayRef sizes) { return torch::randn(sizes).to(device); };
  const auto x = random({70, 24}).requires_grad_(), weight = random({40, 24}).requires_grad_();
  const auto bias = random({40}).requires_grad_(), gradient = random({70, 40});
  std::optional<GpuForm> gpu;
  if (is_gpu_form) gpu.emplace();
  std::optional<PrecisionScope> scope(precision);
  const auto y = linear_relu(x, weight, bias);
  scope.reset();
  y.backward(gradient.to(y.scalar_type()));
  return {y.detach(), x.grad(), weight.grad(), bias.grad()};
}

}  // namespace

TEST_CASE("a linear layer with ReLU on a GPU equals the two operators, values and gradients", "[gpu]") {
  const auto [precision, tolerance] =
      GENERATE(values<std::pair<Precision, double>>({{Precision::fp32, 1e-5}, {Precision::bf16, 0.01}}));
  const auto separate = pass(precision, false);
  const OperationRecorder recorder;
  const auto fused = pass(precision, true);
  CHECK(recorder.has("aten::_addmm_activation"));
  CHECK(separate[0].min().item<double>() == 0);
  for (size_t i = 0; i < fused.size(); ++i) {
    INFO("tensor " << i);
    CHECK(fused[i].scalar_type() == separate[i].scalar_type());
    CHECK(max_difference(fused[i], separate[i]) < tolerance * separate[i].abs().max().item<double>());
  }
}

}  // namespace transformer
