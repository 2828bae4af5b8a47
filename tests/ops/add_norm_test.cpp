#include "ops/add_norm.h"

#include <torch/csrc/autograd/autograd.h>

#include <optional>

#include "catch.h"
#include "kernels/gpu/launch.h"
#include "operation_recorder.h"
#include "ops/dropout.h"
#include "tensors.h"

namespace transformer {
namespace {

/// Which results of add_norm the layers after it use: the sums in fp32, the matrix products in bf16 or fp16.
enum class Use { sum, product, both };

/// y, its rounded form, then the gradients with respect to x, output, weight and bias. From a weight of 0, or one
/// that is small beside its bias, the sum cannot be recovered from y.
std::vector<torch::Tensor> pass(int64_t width, double p, torch::Dtype output_type, std::optional<double> weight_2,
                                Use use, Form form) {
  torch::manual_seed(1);
  const auto device = form == Form::gpu ? GpuForm::device() : torch::kCPU;
  const Packing packing = Packing({7, 1, 600, 2}).to(device);
  const auto random = [&](torch::IntArrayRef sizes) { return torch::randn(sizes).to(device); };
  const auto x = random({610, width}).requires_grad_();
  const auto output = random({610, width}).to(output_type).requires_grad_();
  auto weight = (torch::randn({width}).sign() * (0.1 + torch::rand({width}))).to(device);
  if (weight_2) weight[2] = *weight_2;
  weight.requires_grad_();
  const auto bias = random({width}).requires_grad_(), gradient = random({610, width});
  const auto rounded_type = output_type == torch::kFloat ? torch::kBFloat16 : output_type;
  const auto rounded_gradient = random({610, width}).to(rounded_type);
  const DropoutScope scope(3, {1, 2, 3, 4});
  std::optional<PlainOperations> plain;
  std::optional<GpuForm> gpu;
  if (form == Form::plain) plain.emplace();
  if (form == Form::gpu) gpu.emplace();
  const auto y = add_norm({x, packing}, {output, packing}, p, weight, bias, 1e-6);
  CHECK(y.rounded.defined() == (form == Form::gpu && output_type != torch::kFloat));
  const auto rounded = y.matmul_input().to(rounded_type);
  torch::autograd::variable_list used, gradients;
  if (use != Use::product) used.push_back(y.data), gradients.push_back(gradient);
  if (use != Use::sum) used.push_back(rounded), gradients.push_back(rounded_gradient);
  torch::autograd::backward(used, gradients);
  return {y.data.detach(), rounded.detach(), x.grad(), output.grad(), weight.grad(), bias.grad()};
}

}  // namespace

TEST_CASE("the add-norm kernels equal the plain form, values and gradients", "[gpu]") {
  const Form form = GENERATE(Form::cpu, Form::gpu);
  const int64_t width = GENERATE(16, 48, 7, 1030, 1040);  // the GPU's blocks have several rows each from 1030 on
  const double p = GENERATE(0.0, 0.3);
  const auto weight_2 = GENERATE(values<std::optional<double>>({std::nullopt, 0, 1e-5}));
  const Use use = GENERATE(Use::sum, Use::product, Use::both);
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16, torch::kHalf);
  INFO("width " << width << ", p " << p << ", " << type
                << (weight_2 ? ", a weight of " + std::to_string(*weight_2) : "") << ", use " << static_cast<int>(use)
                << (form == Form::gpu ? ", GPU kernel" : ""));
  const auto kernel = pass(width, p, type, weight_2, use, form),
             plain = pass(width, p, type, weight_2, use, Form::plain);
  for (size_t i = 0; i < kernel.size(); ++i) {
    INFO("tensor " << i);
    CHECK(kernel[i].scalar_type() == plain[i].scalar_type());
    const bool is_rounded = type != torch::kFloat || plain[i].scalar_type() != torch::kFloat;
    const double tolerance = (is_rounded ? 0.01 : 1e-5) * std::max(1.0, plain[i].abs().max().item<double>());
    CHECK(max_difference(kernel[i], plain[i]) < tolerance);
  }
}

TEST_CASE("the GPU's add-norm kernel takes rows that fit into shared memory, others take the plain form", "[gpu]") {
  const int64_t width = gpu::kMaxNormWidth + GENERATE(0, 8);
  const auto plain = pass(width, 0.3, torch::kFloat, /*weight_2=*/std::nullopt, Use::sum, Form::plain);
  const OperationRecorder recorder;
  const auto kernel = pass(width, 0.3, torch::kFloat, /*weight_2=*/std::nullopt, Use::sum, Form::gpu);
  CHECK(recorder.has("gpu::add_norm_forward") == (width == gpu::kMaxNormWidth));
  CHECK(max_difference(kernel[0], plain[0]) < 1e-5);
  for (size_t i = 2; i < kernel.size(); ++i) CHECK(max_difference(kernel[i], plain[i]) < 1e-3);
}

TEST_CASE("add-norm without gradients gives the same values as with them", "[gpu]") {
  const Form form = GENERATE(Form::cpu, Form::gpu);
  const auto type = GENERATE(torch::kFloat, torch::kBFloat16);
  const double p = GENERATE(0.0, 0.3);
  const auto device = form == Form::gpu ? GpuForm::device() : torch::kCPU;
  torch::manual_seed(1);
  const auto packing = Packing({4, 3}).to(device);
  const PackedSequence x{torch::randn({7, 32}).to(device), packing};
  const PackedSequence output{torch::randn({7, 32}).to(device, type), packing};
  const auto weight = torch::randn({32}).to(device).requires_grad_(), bias = torch::randn({32}).to(device);
  std::optional<GpuForm> gpu;
  if (form == Form::gpu) gpu.emplace();
  const auto normalized = [&] {
    const DropoutScope scope(3, {1, 2});
    return add_norm(x, output, p, weight, bias, 1e-6);
  };
  const auto with = normalized();
  const torch::NoGradGuard no_grad;
  const auto without = normalized();
  CHECK(with.data.requires_grad());
  CHECK_FALSE(without.data.requires_grad());
  CHECK(torch::equal(without.data, with.data));
  CHECK(without.rounded.defined() == (form == Form::gpu && type != torch::kFloat));
  REQUIRE(without.rounded.defined() == with.rounded.defined());
  if (with.rounded.defined()) CHECK(torch::equal(without.rounded, with.rounded));
}

}  // namespace transformer
