#include "ops/linear_cross_entropy.h"

#include <cmath>
#include <optional>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

/// The same function as `linear_cross_entropy`, composed of LibTorch's operators.
LossSums plain_linear_cross_entropy(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& targets,
                                    double eps_ls, const torch::Tensor& bias = {}) {
  const auto logits = torch::linear(x, weight, bias);  // [tokens, vocab]
  const auto type = logits.scalar_type() == torch::kDouble ? torch::kDouble : torch::kFloat;
  const auto log_probs = torch::log_softmax(logits.to(type), 1);  // [tokens, vocab]
  const auto nll = -log_probs.gather(1, targets.unsqueeze(1)).sum();
  const auto uniform = -log_probs.mean(1).sum();
  return {(1 - eps_ls) * nll + eps_ls * uniform, nll.detach()};
}

struct Gradients {
  double loss, likelihood;
  torch::Tensor x, weight, bias;
};

template <class Function>
Gradients gradients_of(Function function, int64_t tokens, int64_t vocab, double eps_ls, torch::Dtype type,
                       torch::Device device = torch::kCPU, std::optional<torch::Dtype> weight_type = {},
                       bool has_bias = false) {
  torch::manual_seed(3);
  const auto x = torch::randn({tokens, 8}).to(device, type).requires_grad_();
  const auto weight = torch::randn({vocab, 8}).to(device, weight_type.value_or(type)).requires_grad_();
  const auto targets = torch::randint(vocab, {tokens}).to(device);
  torch::Tensor bias;
  if (has_bias) bias = torch::randn({vocab}).to(device, weight_type.value_or(type)).requires_grad_();
  const LossSums sums = function(x, weight, targets, eps_ls, bias);
  (sums.loss / 7).backward();
  return {sums.loss.template item<double>(), sums.negative_log_likelihood.template item<double>(), x.grad(),
          weight.grad(), has_bias ? bias.grad() : torch::zeros({1})};
}

}  // namespace

TEST_CASE("label-smoothed loss mixes the target's negative log-likelihood with the mean over the vocabulary") {
  // Two pieces with probabilities 3/4 and 1/4, the target is the second.
  const auto x = torch::tensor({{1.0}}), weight = torch::tensor({{std::log(3.0)}, {0.0}});
  const LossSums sums = linear_cross_entropy(x.to(torch::kDouble), weight.to(torch::kDouble), torch::tensor({1}), 0.1);
  const double likelihood = std::log(4.0), uniform = (std::log(4.0) + std::log(4.0 / 3.0)) / 2;
  CHECK(sums.negative_log_likelihood.item<double>() == Approx(likelihood));
  CHECK(sums.loss.item<double>() == Approx(0.9 * likelihood + 0.1 * uniform));
}

TEST_CASE("fused projection and loss equal the plain form, values and gradients") {
  const bool has_bias = GENERATE(false, true);
  // Odd sizes, less than a block and several blocks.
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    for (const auto& [tokens, vocab] : {std::pair<int64_t, int64_t>{1, 5}, {77, 501}, {4500, 37}, {601, 20011}}) {
      for (const double eps_ls : {0.0, 0.1}) {
        INFO(tokens << " x " << vocab << ", eps_ls " << eps_ls);
        const auto fused = gradients_of(linear_cross_entropy, tokens, vocab, eps_ls, type, torch::kCPU, type, has_bias);
        const auto plain =
            gradients_of(plain_linear_cross_entropy, tokens, vocab, eps_ls, type, torch::kCPU, type, has_bias);
        const double tolerance = type == torch::kDouble ? 1e-10 : 1e-4;
        CHECK(fused.loss == Approx(plain.loss).epsilon(tolerance / 10));
        CHECK(fused.likelihood == Approx(plain.likelihood).epsilon(tolerance / 10));
        CHECK(max_difference(fused.x, plain.x) < tolerance);
        CHECK(max_difference(fused.weight, plain.weight) < tolerance * 10);
        CHECK(max_difference(fused.bias, plain.bias) < tolerance * 10);
      }
    }
  }
}

TEST_CASE("fused projection and loss equal the plain form in bf16 but for its rounding") {
  for (const auto& [tokens, vocab] : {std::pair<int64_t, int64_t>{1, 5}, {77, 501}, {300, 10000}}) {
    INFO(tokens << " x " << vocab);
    const auto fused = gradients_of(linear_cross_entropy, tokens, vocab, 0.1, torch::kBFloat16);
    const auto plain = gradients_of(plain_linear_cross_entropy, tokens, vocab, 0.1, torch::kBFloat16);
    CHECK(fused.loss == Approx(plain.loss).epsilon(0.005));
    CHECK(fused.likelihood == Approx(plain.likelihood).epsilon(0.005));
    CHECK(max_difference(fused.x, plain.x) < 0.02 * plain.x.abs().max().item<double>());
    CHECK(max_difference(fused.weight, plain.weight) < 0.02 * plain.weight.abs().max().item<double>());
  }
}

TEST_CASE("the GPU kernel of the loss equals the plain form, values and gradients", "[gpu]") {
  const auto [type, tolerance] =
      GENERATE(values<std::pair<torch::Dtype, double>>({{torch::kFloat, 1e-5}, {torch::kBFloat16, 0.02}}));
  const bool has_bias = GENERATE(false, true);
  const GpuForm form;
  for (const auto& [tokens, vocab] : {std::pair<int64_t, int64_t>{1, 5}, {77, 501}, {19, 9000}}) {
    for (const double eps_ls : {0.0, 0.1}) {
      INFO(tokens << " x " << vocab << ", eps_ls " << eps_ls);
      const auto kernel =
          gradients_of(linear_cross_entropy, tokens, vocab, eps_ls, type, GpuForm::device(), type, has_bias);
      // In fp64, because LibTorch's own sums over 9,000 pieces are off by more than the tolerance in fp32.
      const auto plain_type = type == torch::kFloat ? torch::kDouble : type;
      const auto plain = gradients_of(plain_linear_cross_entropy, tokens, vocab, eps_ls, plain_type, torch::kCPU,
                                      plain_type, has_bias);
      CHECK(kernel.loss == Approx(plain.loss).epsilon(tolerance / 4));
      CHECK(kernel.likelihood == Approx(plain.likelihood).epsilon(tolerance / 4));
      CHECK(max_difference(kernel.x, plain.x) < tolerance * std::max(1.0, plain.x.abs().max().item<double>()));
      CHECK(max_difference(kernel.weight, plain.weight) <
            tolerance * std::max(1.0, plain.weight.abs().max().item<double>()));
      CHECK(max_difference(kernel.bias, plain.bias) < tolerance * std::max(1.0, plain.bias.abs().max().item<double>()));
    }
  }
}

TEST_CASE("the loss of x in bf16 has gradients in the types of x and of a weight in fp32", "[gpu]") {
  const auto fused = [](bool is_gpu_form) {
    std::optional<GpuForm> form;
    if (is_gpu_form) form.emplace();
    return gradients_of(linear_cross_entropy, 77, 501, 0.1, torch::kBFloat16,
                        is_gpu_form ? GpuForm::device() : torch::kCPU, torch::kFloat);
  };
  const auto plain = gradients_of(plain_linear_cross_entropy, 77, 501, 0.1, torch::kBFloat16);
  for (const bool is_gpu_form : {false, true}) {
    const auto found = fused(is_gpu_form);
    CHECK(found.loss == Approx(plain.loss).epsilon(0.005));
    CHECK(found.x.scalar_type() == torch::kBFloat16);
    CHECK(found.weight.scalar_type() == torch::kFloat);
    CHECK(max_difference(found.x, plain.x) < 0.02 * plain.x.abs().max().item<double>());
    CHECK(max_difference(found.weight, plain.weight) < 0.02 * plain.weight.abs().max().item<double>());
  }
}

TEST_CASE("the kernels of the loss stay finite for large logits and propagate NaN", "[gpu]") {
  const Form form = GENERATE(Form::cpu, Form::gpu);
  const int64_t vocab = GENERATE(50, 5);
  const auto device = form == Form::gpu ? GpuForm::device() : torch::kCPU;
  std::optional<GpuForm> gpu;
  if (form == Form::gpu) gpu.emplace();
  torch::manual_seed(1);
  const auto weight = torch::randn({vocab, 8}).to(device), targets = torch::tensor({1, 2, 3}).to(device);
  auto x = 1000 * torch::randn({3, 8}).to(device);
  const double loss = linear_cross_entropy(x, weight, targets, 0.1).loss.item<double>();
  CHECK(loss == Approx(plain_linear_cross_entropy(x, weight, targets, 0.1).loss.item<double>()));
  x[1][0] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(linear_cross_entropy(x, weight, targets, 0.1).loss.item<double>()));
}

TEST_CASE("the log-probabilities of targets are those of log_softmax, over several blocks of logits", "[gpu]") {
  const Form form = GENERATE(Form::cpu, Form::gpu);
  const auto device = form == Form::gpu ? GpuForm::device() : torch::kCPU;
  std::optional<GpuForm> gpu;
  if (form == Form::gpu) gpu.emplace();
  torch::manual_seed(1);
  const auto x = torch::randn({4500, 8}).to(device), weight = torch::randn({37, 8}).to(device);
  const auto targets = torch::randint(37, {4500}).to(device);
  for (const auto& bias : {torch::Tensor(), torch::randn({37}).to(device)}) {
    const auto logits = torch::linear(x, weight, bias);
    const auto expected = torch::log_softmax(logits, 1).gather(1, targets.unsqueeze(1)).squeeze(1);
    CHECK(max_difference(target_log_probs(x, weight, targets, bias), expected) < 1e-5);
  }
}

TEST_CASE("the loss propagates NaN") {
  auto x = torch::randn({3, 8});
  x[1][0] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(linear_cross_entropy(x, torch::randn({50, 8}), torch::tensor({1, 2, 3}), 0.1).loss.item<double>()));
}

TEST_CASE("fused loss without gradients gives the same values") {
  torch::NoGradGuard no_grad;
  const auto x = torch::randn({9, 8}), weight = torch::randn({11, 8});
  const auto targets = torch::randint(11, {9});
  CHECK(linear_cross_entropy(x, weight, targets, 0.1).loss.item<double>() ==
        Approx(plain_linear_cross_entropy(x, weight, targets, 0.1).loss.item<double>()));
}

}  // namespace transformer
