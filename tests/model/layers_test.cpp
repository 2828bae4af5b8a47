#include "catch.h"
#include "model/embedding.h"
#include "model/feed_forward.h"
#include "model/sublayer.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("feed-forward network is equation 2") {
  const torch::NoGradGuard no_grad;
  FeedForward network(tiny_config());
  torch::manual_seed(1);
  for (auto& parameter : network->parameters()) torch::nn::init::normal_(parameter, 0, 0.3);
  const auto x = torch::randn({6, 16});
  auto p = network->named_parameters();
  const auto inner = torch::clamp_min(x.matmul(p["w_1.weight"].t()) + p["w_1.bias"], 0);
  CHECK(max_difference(network(x, Packing({4, 2})), inner.matmul(p["w_2.weight"].t()) + p["w_2.bias"]) < 1e-6);
}

TEST_CASE("sub-layer normalises the sum, after adding") {
  ModelConfig config = tiny_config();
  config.d_model = 2;
  Sublayer sublayer(config);
  sublayer->eval();
  // x + output = (1, 3): mean 2, deviation 1.
  const auto y = sublayer(torch::tensor({{1.0F, 1.0F}}), torch::tensor({{0.0F, 2.0F}}), Packing({1}));
  CHECK(max_difference(y, torch::tensor({{-1.0F, 1.0F}})) < 1e-5);
}

TEST_CASE("sub-layer drops its output, never the residual") {
  ModelConfig config = tiny_config();
  config.P_drop = 0.99;
  Sublayer sublayer(config);
  sublayer->train();
  torch::manual_seed(1);
  const auto x = torch::arange(16, torch::kFloat).unsqueeze(0);
  const auto norm_of_x = (x - x.mean()) / torch::sqrt(x.var(/*unbiased=*/false));
  // Nearly every one of the outputs is dropped, and x stays.
  const auto kept = (sublayer(x, torch::ones({1, 16}), Packing({1})) - norm_of_x).abs().median().item<double>();
  CHECK(kept < 0.7);
}

TEST_CASE("embedding multiplies by sqrt(d_model) at the input only") {
  Embedding embedding(7, 16);
  torch::NoGradGuard no_grad;
  embedding->weight().copy_(torch::arange(7 * 16, torch::kFloat).view({7, 16}));
  CHECK(max_difference(embedding(torch::tensor({2})), embedding->weight()[2].view({1, 16}) * 4.0) == 0);
  const auto x = torch::ones({1, 16});
  CHECK(max_difference(embedding->project(x), embedding->weight().sum(1).unsqueeze(0)) < 1e-3);
}

}  // namespace transformer
