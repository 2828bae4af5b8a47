#include "ops/linear.h"

#include <cmath>
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

#if defined(__x86_64__)

TEST_CASE("a linear layer in bf16 on a CPU adds up in fp32 what it rounded, forward and backward") {
  torch::manual_seed(1);
  const bool relu = GENERATE(false, true), has_bias = GENERATE(false, true);
  if (relu && !has_bias) return;
  const int64_t rows = GENERATE(1, 70), fp32_outputs = relu ? 0 : GENERATE(0, 17, 41);
  INFO("relu " << relu << ", bias " << has_bias << ", rows " << rows << ", outputs in fp32 " << fp32_outputs);
  const auto x = torch::randn({rows, 24}).requires_grad_(), weight = torch::randn({41, 24}).requires_grad_();
  const auto bias = has_bias ? torch::randn({41}).requires_grad_() : torch::Tensor();
  const auto gradient = torch::randn({rows, 41});
  torch::Tensor y;
  {
    const PrecisionScope scope(Precision::bf16);
    y = relu ? linear_relu(x, weight, bias) : linear(x, weight, bias, fp32_outputs);
  }
  y.backward(gradient.to(y.scalar_type()));

  const auto rounded = [](const torch::Tensor& t) { return t.detach().to(torch::kBFloat16).to(torch::kFloat); };
  const auto fixed_bias = has_bias ? bias.detach() : bias;
  auto expected = torch::linear(rounded(x), rounded(weight), fixed_bias);
  expected.slice(1, 0, fp32_outputs)
      .copy_(torch::linear(x.detach(), weight.detach(), fixed_bias).slice(1, 0, fp32_outputs));
  auto by_y = relu ? rounded(gradient) : gradient;
  if (relu) {
    expected = rounded(expected.relu());
    by_y = by_y * (expected > 0);
  }
  CHECK(y.scalar_type() == (relu ? torch::kBFloat16 : torch::kFloat));
  // A value between two numbers in bf16 may be rounded to either.
  CHECK(max_difference(y.detach().to(torch::kFloat), expected) < (relu ? 0.07 : 1e-5));
  CHECK(x.grad().scalar_type() == torch::kFloat);
  CHECK(max_difference(x.grad(), rounded(by_y).mm(rounded(weight))) < 1e-4);
  CHECK(max_difference(weight.grad(), rounded(by_y).t().mm(rounded(x))) < 1e-4);
  if (has_bias) CHECK(max_difference(bias.grad(), by_y.sum(0)) < 1e-4);
}

TEST_CASE("a product of bf16 matrices is added to fp32 numbers, however its factors lie in memory") {
  torch::manual_seed(1);
  const auto numbers = [](torch::IntArrayRef sizes) { return torch::randn(sizes).to(torch::kBFloat16); };
  const auto check = [](const torch::Tensor& a, const torch::Tensor& b) {
    const auto before = torch::randn({a.size(0), b.size(1)});
    const auto product = a.to(torch::kFloat).mm(b.to(torch::kFloat));
    for (const bool add : {false, true}) {
      const auto result = add ? before.clone() : torch::full_like(before, NAN);
      add_product(result, a, b, add);
      CHECK(max_difference(result, add ? before + product : product) < 1e-5);
    }
  };
  check(numbers({5, 7}), numbers({7, 3}));
  check(numbers({7, 5}).t(), numbers({3, 7}).t());
  check(numbers({5, 14}).slice(1, 0, 7), numbers({9, 3}).slice(0, 1, 8));
  check(numbers({1, 7}), numbers({7, 1}));
  check(numbers({1, 5}).t(), numbers({1, 3}));
}

#endif

}  // namespace transformer
