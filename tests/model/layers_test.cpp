#include <torch/nn/init.h>

#include <cmath>

#include "catch.h"
#include "model/add_norm.h"
#include "model/embedding.h"
#include "model/feed_forward.h"
#include "model/linear.h"
#include "ops/precision.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {

TEST_CASE("feed-forward network is equation 2, or has another activation") {
  const torch::NoGradGuard no_grad;
  using Function = torch::Tensor (*)(const torch::Tensor&);
  const auto [activation, function] = GENERATE(table<Activation, Function>(
      {{Activation::relu, [](const torch::Tensor& x) { return torch::clamp_min(x, 0); }},
       {Activation::swish, [](const torch::Tensor& x) { return x * torch::sigmoid(x); }},
       {Activation::gelu, [](const torch::Tensor& x) { return x * (1 + torch::erf(x / std::sqrt(2.0))) / 2; }},
       {Activation::gelu_sigmoid, [](const torch::Tensor& x) { return x * torch::sigmoid(1.702 * x); }}}));
  ModelConfig config = tiny_config();
  config.activation = activation;
  FeedForward network(config);
  torch::manual_seed(1);
  for (auto& parameter : network->parameters()) torch::nn::init::normal_(parameter, 0, 0.3);
  const auto x = torch::randn({6, 16});
  auto p = network->named_parameters();
  const auto inner = function(x.matmul(p["w_1.weight"].t()) + p["w_1.bias"]);
  CHECK(max_difference(network(PackedSequence{x, Packing({4, 2})}).data,
                       inner.matmul(p["w_2.weight"].t()) + p["w_2.bias"]) < 1e-5);
}

TEST_CASE("a joint linear transformation gives what its parts give, values and gradients") {
  const auto precision = GENERATE(Precision::fp32, Precision::bf16);
  const bool has_bias = GENERATE(false, true);
  const double tolerance = precision == Precision::fp32 ? 1e-5 : 0.1;
  torch::manual_seed(1);
  torch::nn::Module parent;
  JointLinear joint(parent, 24, {{"w_q", 16}, {"w_k", 16}, {"w_v", 8}}, has_bias);
  for (auto& parameter : parent.parameters()) torch::nn::init::normal_(parameter);
  const auto x = torch::randn({50, 24}).requires_grad_(), other_x = x.detach().clone().requires_grad_();
  std::vector<torch::Tensor> joined;
  {
    const PrecisionScope scope(precision);
    joined = joint(x * 1);
  }
  auto sum = torch::zeros({}), expected_sum = torch::zeros({});
  const auto parameters = parent.parameters();  // weight and, if there is one, bias of each part
  const size_t stride = has_bias ? 2 : 1;
  REQUIRE(stride * joined.size() == parameters.size());
  std::vector<torch::Tensor> separate;
  for (const auto& parameter : parameters) separate.push_back(parameter.detach().clone().requires_grad_());
  for (size_t i = 0; i < joined.size(); ++i) {
    const auto product =
        torch::linear(other_x, separate[stride * i], has_bias ? separate[stride * i + 1] : torch::Tensor());
    CHECK(max_difference(joined[i], product.detach()) < tolerance);
    sum = sum + (joined[i].to(torch::kFloat) * static_cast<double>(i + 1)).sum();
    expected_sum = expected_sum + (product * static_cast<double>(i + 1)).sum();
  }
  sum.backward();
  expected_sum.backward();
  CHECK(x.grad().scalar_type() == torch::kFloat);
  CHECK(max_difference(x.grad(), other_x.grad()) < 2 * tolerance);
  for (size_t i = 0; i < parameters.size(); ++i) {
    CHECK(max_difference(parameters[i].grad(), separate[i].grad()) < 2 * tolerance);
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
  Embedding embedding(7, tiny_config(), /*has_output_bias=*/false);
  torch::NoGradGuard no_grad;
  embedding->weight().copy_(torch::arange(7 * 16, torch::kFloat).view({7, 16}));
  CHECK(max_difference(embedding(torch::tensor({2})), embedding->weight()[2].view({1, 16}) * 4.0) == 0);
  const auto x = torch::ones({1, 16});
  CHECK(max_difference(embedding->project(x), embedding->weight().sum(1).unsqueeze(0)) < 1e-3);
}

TEST_CASE("an embedding without scale returns its rows, and one with an output bias adds it to the logits") {
  ModelConfig config = tiny_config();
  config.scale_embedding = false;
  Embedding embedding(7, config, /*has_output_bias=*/true);
  torch::NoGradGuard no_grad;
  embedding->weight().copy_(torch::arange(7 * 16, torch::kFloat).view({7, 16}));
  embedding->bias().copy_(torch::arange(7));
  CHECK(torch::equal(embedding(torch::tensor({2})), embedding->weight()[2].view({1, 16})));
  const auto logits = embedding->weight().sum(1).unsqueeze(0) + embedding->bias();
  CHECK(max_difference(embedding->project(torch::ones({1, 16})), logits) < 1e-3);
  embedding->pack(WeightType::fp32);
  CHECK_FALSE(embedding->bias().defined());
  CHECK(max_difference(embedding->project(torch::ones({1, 16})), logits) < 1e-3);
}

TEST_CASE("a packed embedding gives the rows of its matrix in the type of the rows", "[gpu]") {
  const auto type = GENERATE(WeightType::fp32, WeightType::bf16, WeightType::fp16, WeightType::int8);
  const auto device = type == WeightType::int8 ? torch::Device(torch::kCPU) : GpuForm::device();
  INFO(EnumNames<WeightType>::names[static_cast<size_t>(type)]);
  torch::manual_seed(1);
  const torch::NoGradGuard no_grad;
  Embedding embedding(7, tiny_config(), /*has_output_bias=*/false);
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
