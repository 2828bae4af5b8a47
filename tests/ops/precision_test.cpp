#include "ops/precision.h"

#include <ATen/autocast_mode.h>

#include "catch.h"
#include "ops/dropout.h"
#include "ops/linear_cross_entropy.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("precision: products are bf16 inside the scope only") {
  const auto a = torch::ones({2, 3}), b = torch::ones({3, 2});
  {
    const PrecisionScope scope(Precision::bf16);
    CHECK(torch::mm(a, b).scalar_type() == torch::kBFloat16);
    {
      const PrecisionScope inner(Precision::fp32);
      CHECK(torch::mm(a, b).scalar_type() == torch::kFloat);
    }
    { const PrecisionScope inner(Precision::bf16); }
    CHECK(torch::mm(a, b).scalar_type() == torch::kBFloat16);
  }
  CHECK(torch::mm(a, b).scalar_type() == torch::kFloat);
}

TEST_CASE("precision: auto is bf16 on a GPU and fp32 on a CPU") {
  const PrecisionScope scope(Precision::automatic);
  CHECK(torch::mm(torch::ones({2, 3}), torch::ones({3, 2})).scalar_type() == torch::kFloat);
  CHECK_FALSE(at::autocast::is_autocast_enabled(torch::kCPU));
  CHECK(at::autocast::is_autocast_enabled(torch::kCUDA));
  CHECK(precision_on(/*is_gpu=*/true, Precision::automatic) == Precision::bf16);
  CHECK(precision_on(/*is_gpu=*/true, Precision::fp32) == Precision::fp32);
}

TEST_CASE("precision: the stacks' outputs, the loss and the gradients are fp32 in a bf16 pass") {
  auto model = tiny_model(tiny_config());
  model->train();
  const auto source = sentences({{4, 5, 6, 3}}), target_in = sentences({{2, 9, 10}});
  const auto target_out = torch::tensor({9, 10, 3});
  torch::Tensor loss;
  {
    const PrecisionScope scope(Precision::bf16);
    const auto memory = model->encode(source);
    CHECK(memory.data.scalar_type() == torch::kFloat);
    const auto decoded = model->decode(target_in, memory).data;
    CHECK(decoded.scalar_type() == torch::kFloat);
    const auto sums = linear_cross_entropy(decoded, model->output_weight(), target_out, 0.1);
    CHECK(sums.loss.scalar_type() == torch::kFloat);
    loss = sums.loss;
  }
  loss.backward();
  for (const auto& parameter : model->parameters()) {
    CHECK(parameter.scalar_type() == torch::kFloat);
    CHECK(parameter.grad().scalar_type() == torch::kFloat);
    CHECK(parameter.grad().abs().max().item<double>() > 0);
  }
}

TEST_CASE("precision: bf16 gives fp32's loss and the direction of its gradient, but for rounding") {
  auto model = tiny_model(tiny_config());
  const auto source = sentences({{4, 5, 6, 3}, {7, 3}}), target_in = sentences({{2, 9, 10}, {2, 11, 12}});
  // The loss, and all gradients in one row.
  const auto pass = [&](Precision precision) {
    model->zero_grad();
    torch::Tensor loss;
    {
      const PrecisionScope scope(precision);
      const auto decoded = model->decode(target_in, model->encode(source)).data;
      loss = linear_cross_entropy(decoded, model->output_weight(), torch::arange(6) + 4, 0.1).loss;
    }
    loss.backward();
    std::vector<torch::Tensor> gradients;
    for (const auto& parameter : model->parameters()) gradients.push_back(parameter.grad().flatten().clone());
    return std::pair(loss.item<double>(), torch::cat(gradients));
  };
  const auto [loss, gradient] = pass(Precision::fp32);
  const auto [rounded_loss, rounded_gradient] = pass(Precision::bf16);
  CHECK(rounded_loss == Approx(loss).epsilon(0.005));
  CHECK(rounded_loss != loss);  // it did round
  // A unit of the feed-forward network that is almost 0 may fall on the other side of the ReLU, hence no closer.
  CHECK(torch::cosine_similarity(gradient, rounded_gradient, 0).item<double>() > 0.98);
}

TEST_CASE("dropout gives bf16 and fp32 the same mask") {
  const auto x = torch::randn({10, 100}).to(torch::kBFloat16);
  torch::manual_seed(3);
  const auto in_bf16 = dropout(PackedSequence{x, Packing({4, 6})}, 0.3).data;
  torch::manual_seed(3);
  const auto in_fp32 = dropout(PackedSequence{x.to(torch::kFloat), Packing({4, 6})}, 0.3).data;
  CHECK(in_bf16.scalar_type() == torch::kBFloat16);
  CHECK(torch::equal(in_bf16, in_fp32.to(torch::kBFloat16)));
}

}  // namespace transformer
