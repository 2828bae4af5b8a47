#include "model/attention.h"

#include "catch.h"
#include "model/scaled_dot_product_attention.h"
#include "tensors.h"

namespace transformer {

TEST_CASE("attention is equation 1") {
  torch::manual_seed(1);
  const auto query = torch::randn({2, 3, 4, 8}), key = torch::randn({2, 3, 5, 8}), value = torch::randn({2, 3, 5, 6});
  const auto weights = torch::softmax(query.matmul(key.transpose(2, 3)) / std::sqrt(8.0), 3);
  CHECK(max_difference(scaled_dot_product_attention(query, key, value, torch::Tensor(), 0.0), weights.matmul(value)) <
        1e-6);
}

TEST_CASE("attention gives no weight to what the mask hides") {
  // Two keys; the mask leaves the second alone, so its value is the whole answer.
  const auto query = torch::ones({1, 1, 1, 2}), key = torch::ones({1, 1, 2, 2});
  const auto value = torch::tensor({{1.0F, 2.0F}, {30.0F, 40.0F}}).view({1, 1, 2, 2});
  const auto mask = torch::tensor({false, true}).view({1, 1, 1, 2});
  const auto attended = scaled_dot_product_attention(query, key, value, mask, 0.0).flatten();
  CHECK(max_difference(attended, torch::tensor({30.0F, 40.0F})) < 1e-6);
  const auto mean = scaled_dot_product_attention(query, key, value, torch::Tensor(), 0.0).flatten();
  CHECK(max_difference(mean, torch::tensor({15.5F, 21.0F})) < 1e-6);
}

TEST_CASE("multi-head attention has four matrices without biases, of the widths of Table 3") {
  ModelConfig config = tiny_config();
  config.d_k = 3;
  config.d_v = 5;
  const MultiHeadAttention attention(config, Attends::to_memory);
  const auto parameters = attention->named_parameters();
  CHECK(parameters.size() == 4);
  CHECK(parameters["w_q.weight"].sizes() == torch::IntArrayRef({12, 16}));
  CHECK(parameters["w_k.weight"].sizes() == torch::IntArrayRef({12, 16}));
  CHECK(parameters["w_v.weight"].sizes() == torch::IntArrayRef({20, 16}));
  CHECK(parameters["w_o.weight"].sizes() == torch::IntArrayRef({16, 20}));
}

TEST_CASE("multi-head attention is the concatenation of its heads times W^O") {
  const torch::NoGradGuard no_grad;
  MultiHeadAttention attention(tiny_config(), Attends::to_memory);  // h 4, d_k = d_v = 4
  torch::manual_seed(2);
  for (auto& parameter : attention->parameters()) torch::nn::init::normal_(parameter, 0, 0.3);
  const auto x = torch::randn({2, 3, 16}), y = torch::randn({2, 5, 16});
  const Packing queries({3, 3}), keys({5, 5});
  auto p = attention->named_parameters();
  std::vector<torch::Tensor> heads;
  for (int64_t head = 0; head < 4; ++head) {
    const auto rows = torch::indexing::Slice(4 * head, 4 * head + 4);
    const auto q = x.matmul(p["w_q.weight"].index({rows}).t()), k = y.matmul(p["w_k.weight"].index({rows}).t()),
               v = y.matmul(p["w_v.weight"].index({rows}).t());
    heads.push_back(torch::softmax(q.matmul(k.transpose(1, 2)) / 2.0, 2).matmul(v));
  }
  const auto expected = torch::cat(heads, 2).matmul(p["w_o.weight"].t());
  const auto attended = attention(x.flatten(0, 1), queries, y.flatten(0, 1), keys, AttentionMask());
  CHECK(max_difference(attended, expected.flatten(0, 1)) < 1e-5);
}

}  // namespace transformer
