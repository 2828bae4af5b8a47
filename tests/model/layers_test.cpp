#include <torch/nn/init.h>

#include "catch.h"
#include "model/add_norm.h"
#include "model/embedding.h"
#include "model/feed_forward.h"
#include "model/linear.h"
#include "ops/precision.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("feed-forward network is equation 2") {
  const torch::NoGradGuard no_grad;
  FeedForward network(tiny_config());
  torch::manual_seed(1);
  for (auto& parameter : network->parameters()) torch::nn::init::normal_(parameter, 0, 0.3);
  const auto x = torch::randn({6, 16});
  auto p = network->named_parameters();
  const auto inner = torch::clamp_min(x.matmul(p["w_1.weight"].t()) + p["w_1.bias"], 0);
  CHECK(max_difference(network(PackedSequence{x, Packing({4, 2})}).data,
                       inner.matmul(p["w_2.weight"].t()) + p["w_2.bias"]) < 1e-5);
}

TEST_CASE("a joint linear transformation gives what its parts give, values and gradients") {
  const auto precision = GENERATE(Precision::fp32, Precision::bf16);
  const double tolerance = precision == Precision::fp32 ? 1e-5 : 0.1;
  torch::manual_seed(1);
  torch::nn::Module parent;
  JointLinear joint(parent, 24, {{"w_q", 16}, {"w_k", 16}, {"w_v", 8}});
  for (auto& parameter : parent.parameters()) torch::nn::init::normal_(parameter);
  const auto x = torch::randn({50, 24}).requires_grad_(), other_x = x.detach().clone().requires_grad_();
  std::vector<torch::Tensor> joined;
  {
    const PrecisionScope scope(precision);
    joined = joint(x * 1);
  }
  auto sum = torch::zeros({}), expected_sum = torch::zeros({});
  const auto weights = parent.parameters();
  REQUIRE(joined.size() == weights.size());
  std::vector<torch::Tensor> separate;
  for (size_t i = 0; i < weights.size(); ++i) {
    separate.push_back(weights[i].detach().clone().requires_grad_());
    const auto product = other_x.matmul(separate[i].t());
    CHECK(max_difference(joined[i], product.detach()) < tolerance);
    sum = sum + (joined[i].to(torch::kFloat) * static_cast<double>(i + 1)).sum();
    expected_sum = expected_sum + (product * static_cast<double>(i + 1)).sum();
  }
  sum.backward();
  expected_sum.backward();
  CHECK(x.grad().scalar_type() == torch::kFloat);
  CHECK(max_difference(x.grad(), other_x.grad()) < 2 * tolerance);
  for (size_t i = 0; i < weights.size(); ++i) {
    CHECK(max_difference(weights[i].grad(), separate[i].grad()) < 2 * tolerance);
  }
}

TEST_CASE("add-norm normalizes the sum of x and the sub-layer's output") {
  ModelConfig config = tiny_config();
  config.d_model = 2;
  AddNorm add_norm(config);
  add_norm->eval();
  // x + output = (1, 3): mean 2, deviation 1.
  const PackedSequence x{torch::tensor({{1.0F, 1.0F}}), Packing({1})};
  const auto y = add_norm(x, [&](const PackedSequence& input) {
    CHECK(torch::equal(input.data, x.data));
    return input.with_data(torch::tensor({{0.0F, 2.0F}}));
  });
  CHECK(max_difference(y.data, torch::tensor({{-1.0F, 1.0F}})) < 1e-5);
}

TEST_CASE("pre-norm normalizes the sub-layer's input and adds its output to x") {
  ModelConfig config = tiny_config();
  config.d_model = 2;
  config.layer_norm = NormOrder::pre;
  AddNorm add_norm(config);
  add_norm->eval();
  const PackedSequence x{torch::tensor({{1.0F, 3.0F}}), Packing({1})};  // mean 2, deviation 1
  const auto y = add_norm(x, [&](const PackedSequence& input) {
    CHECK(max_difference(input.data, torch::tensor({{-1.0F, 1.0F}})) < 1e-5);
    return input.with_data(torch::tensor({{10.0F, 20.0F}}));
  });
  CHECK(torch::equal(y.data, torch::tensor({{11.0F, 23.0F}})));
}

TEST_CASE("add-norm drops from the sub-layer output, never from the residual") {
  ModelConfig config = tiny_config();
  config.P_drop = 0.99;
  AddNorm add_norm(config);
  add_norm->train();
  torch::manual_seed(1);
  const auto x = torch::arange(16, torch::kFloat).unsqueeze(0);
  const auto norm_of_x = (x - x.mean()) / torch::sqrt(x.var(/*unbiased=*/false));
  const auto output = 10 * x.flip(1);
  const auto sub_layer = [&](const PackedSequence& input) { return input.with_data(output); };
  const auto add_norm_of_x = [&] { return add_norm(PackedSequence{x, Packing({1})}, sub_layer).data; };
  // Of 16 elements about one in 100 is kept, and multiplied by 100.
  std::vector<double> differences;
  for (int i = 0; i < 20; ++i) differences.push_back(max_difference(add_norm_of_x(), norm_of_x));
  CHECK(std::count_if(differences.begin(), differences.end(), [](double d) { return d < 1e-4; }) > 10);
  add_norm->eval();
  CHECK(max_difference(add_norm_of_x(), norm_of_x) > 1);
}

TEST_CASE("embedding multiplies by sqrt(d_model) at the input only") {
  Embedding embedding(7, 16);
  torch::NoGradGuard no_grad;
  embedding->weight().copy_(torch::arange(7 * 16, torch::kFloat).view({7, 16}));
  CHECK(max_difference(embedding(torch::tensor({2})), embedding->weight()[2].view({1, 16}) * 4.0) == 0);
  const auto x = torch::ones({1, 16});
  CHECK(max_difference(embedding->project(x), embedding->weight().sum(1).unsqueeze(0)) < 1e-3);
}

TEST_CASE("a packed embedding gives the rows of its matrix in the type of the rows", "[gpu]") {
  const auto type = GENERATE(WeightType::fp32, WeightType::bf16, WeightType::fp16, WeightType::int8);
  const auto device = type == WeightType::int8 ? torch::Device(torch::kCPU) : GpuForm::device();
  INFO(EnumNames<WeightType>::names[static_cast<size_t>(type)]);
  torch::manual_seed(1);
  const torch::NoGradGuard no_grad;
  Embedding embedding(7, 16);
  torch::nn::init::normal_(embedding->weight());
  embedding->to(device);
  const auto tokens = torch::tensor({2, 6, 2}).to(device);
  const auto rows = embedding->weight().index_select(0, tokens).to(storage_type(type)).to(torch::kFloat);
  embedding->pack(type);
  CHECK(torch::equal(embedding(tokens), rows * 4.0));
  CHECK(embedding->row_type() == storage_type(type));
  CHECK(embedding->device().type() == device.type());
  if (type == WeightType::fp16) CHECK_FALSE(embedding->weight().defined());  // the packed matrix has the rows
}

}  // namespace transformer
