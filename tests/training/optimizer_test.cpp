#include "training/optimizer.h"

#include <cmath>

#include "catch.h"
#include "tensors.h"

namespace transformer {
namespace {

constexpr AdamOptions kPaper = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9};

/// A module with one parameter.
struct Weights : torch::nn::Module {
  torch::Tensor w;
  explicit Weights(std::vector<double> values) { w = register_parameter("w", torch::tensor(values, torch::kDouble)); }
};

}  // namespace

TEST_CASE("Adam computes the updates of its paper with the values of section 5.3") {
  Weights weights({1.0, -2.0});
  Adam adam(weights, kPaper);
  double expected[2] = {1.0, -2.0}, first[2] = {}, second[2] = {};
  for (int step = 1; step <= 5; ++step) {
    adam.zero_grad();
    (weights.w * weights.w * torch::tensor({0.5, 3.0}, torch::kDouble)).sum().backward();
    adam.step(0.1);
    for (int i = 0; i < 2; ++i) {
      const double gradient = expected[i] * (i == 0 ? 1.0 : 6.0);
      first[i] = 0.9 * first[i] + 0.1 * gradient;
      second[i] = 0.98 * second[i] + 0.02 * gradient * gradient;
      const double first_unbiased = first[i] / (1 - std::pow(0.9, step));
      const double second_unbiased = second[i] / (1 - std::pow(0.98, step));
      expected[i] -= 0.1 * first_unbiased / (std::sqrt(second_unbiased) + 1e-9);
      CHECK(weights.w[i].item<double>() == Approx(expected[i]).epsilon(1e-6));
    }
  }
}

TEST_CASE("Adam with weight decay is AdamW: the decay is not part of the gradient") {
  // PyTorch: torch.optim.AdamW([w], lr=0.1, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.3) with the loss (w^4).sum().
  Weights weights({1.0, -2.0});
  Adam adam(weights, {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .weight_decay = 0.3});
  for (int step = 1; step <= 3; ++step) {
    adam.zero_grad();
    weights.w.pow(4).sum().backward();
    adam.step(0.1);
  }
  CHECK(weights.w[0].item<double>() == Approx(0.6322223987037459).epsilon(1e-9));
  CHECK(weights.w[1].item<double>() == Approx(-1.53899714204722).epsilon(1e-9));
}

TEST_CASE("Adam continues exactly from a saved state") {
  Weights a({1.0, -2.0}), b({1.0, -2.0});
  Adam adam_a(a, kPaper);
  const auto update = [](Weights& weights, Adam& adam) {
    adam.zero_grad();
    weights.w.pow(4).sum().backward();
    adam.step(0.05);
  };
  for (int i = 0; i < 3; ++i) update(a, adam_a);
  Adam adam_b(b, kPaper);
  set_parameters(b, copy_parameters(a), "a");
  adam_b.set_state(adam_a.state(), "a");
  for (int i = 0; i < 3; ++i) {
    update(a, adam_a);
    update(b, adam_b);
  }
  CHECK(torch::equal(a.w, b.w));
  CHECK_THROWS_WITH(adam_b.set_state(NamedTensors(), "x.pt"),
                    Catch::StartsWith("x.pt: has no tensor of the optimizer's state 'first.w'"));
}

TEST_CASE("the gradient norm is that of all parameters together") {
  Weights weights({3.0, 4.0});
  Adam adam(weights, kPaper);
  (weights.w * weights.w / 2).sum().backward();
  CHECK(adam.gradient_norm().item<double>() == Approx(5.0));
}

TEST_CASE("Adam divides gradients by a divisor, and leaves everything as it is where a step is to be skipped") {
  const auto step = [](double scale, const torch::Tensor& skip, const torch::Tensor& divisor) {
    Weights weights({1.0, -2.0});
    Adam adam(weights, {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 0.1, .weight_decay = 0.3});
    for (int i = 0; i < 2; ++i) {
      adam.zero_grad();
      (scale * weights.w.pow(4).sum()).backward();
      adam.step(0.1, skip, divisor);
    }
    return std::pair(weights.w.detach(), adam.state().at("updates").item<double>());
  };
  const auto no = torch::zeros({}), yes = torch::ones({}), four = torch::full({}, 4.0F);
  CHECK(max_difference(step(4, no, four).first, step(1, {}, {}).first) < 1e-7);
  CHECK(step(1, no, {}).second == 2);
  const auto [skipped, updates] = step(1, yes, {});
  CHECK(torch::equal(skipped, torch::tensor({1.0, -2.0}, torch::kDouble)));
  CHECK(updates == 0);
}

}  // namespace transformer
