#include "model/attention.h"

#include <torch/nn/init.h>

#include "catch.h"
#include "ops/precision.h"
#include "tensors.h"
#include "tiny_model.h"

namespace transformer {
namespace {

/// Concat(head_1, ..., head_h) W^O for queries x [B, T, d_model] and keys y [B, S, d_model], by the paper's formula.
torch::Tensor multi_head_attention(torch::nn::Module& attention, int64_t h, const torch::Tensor& x,
                                   const torch::Tensor& y) {
  auto p = attention.named_parameters();
  const int64_t d_k = p["w_q.weight"].size(0) / h;
  std::vector<torch::Tensor> heads;
  for (int64_t head = 0; head < h; ++head) {
    const auto rows = torch::indexing::Slice(d_k * head, d_k * (head + 1));
    const auto q = x.matmul(p["w_q.weight"].index({rows}).t()), k = y.matmul(p["w_k.weight"].index({rows}).t()),
               v = y.matmul(p["w_v.weight"].index({rows}).t());
    const double scale = std::sqrt(static_cast<double>(d_k));
    heads.push_back(torch::softmax(q.matmul(k.transpose(1, 2)) / scale, 2).matmul(v));
  }
  return torch::cat(heads, 2).matmul(p["w_o.weight"].t());
}

void randomize(torch::nn::Module& module) {
  torch::manual_seed(2);
  for (auto& parameter : module.parameters()) torch::nn::init::normal_(parameter, 0, 0.3);
}

}  // namespace

TEST_CASE("multi-head attention has four matrices without biases, of the widths of Table 3") {
  ModelConfig config = tiny_config();
  config.d_k = 3;
  config.d_v = 5;
  const SelfAttention self_attention(config);
  const CrossAttention cross_attention(config);
  for (const auto& parameters : {self_attention->named_parameters(), cross_attention->named_parameters()}) {
    CHECK(parameters.size() == 4);
    CHECK(parameters["w_q.weight"].sizes() == torch::IntArrayRef({12, 16}));
    CHECK(parameters["w_k.weight"].sizes() == torch::IntArrayRef({12, 16}));
    CHECK(parameters["w_v.weight"].sizes() == torch::IntArrayRef({20, 16}));
    CHECK(parameters["w_o.weight"].sizes() == torch::IntArrayRef({16, 20}));
  }
}

TEST_CASE("multi-head attention is the concatenation of its heads times W^O") {
  const torch::NoGradGuard no_grad;
  CrossAttention cross_attention(tiny_config());  // h 4, d_k = d_v = 4
  SelfAttention self_attention(tiny_config());
  randomize(*cross_attention);
  randomize(*self_attention);
  const auto x = torch::randn({2, 3, 16}), y = torch::randn({2, 5, 16});
  const PackedSequence packed_x{x.flatten(0, 1), Packing({3, 3})}, packed_y{y.flatten(0, 1), Packing({5, 5})};
  CHECK(max_difference(cross_attention(packed_x, packed_y).pad(), multi_head_attention(*cross_attention, 4, x, y)) <
        1e-5);
  CHECK(max_difference(self_attention(packed_y, AttentionMask()).pad(),
                       multi_head_attention(*self_attention, 4, y, y)) < 1e-5);
}

#if defined(__x86_64__)

TEST_CASE("multi-head attention in bf16 on a CPU attends to the positions of fp32 where scores are large") {
  const torch::NoGradGuard no_grad;
  CrossAttention cross_attention(tiny_config());
  SelfAttention self_attention(tiny_config());
  for (auto* module : std::initializer_list<torch::nn::Module*>{cross_attention.get(), self_attention.get()}) {
    randomize(*module);
    for (const char* name : {"w_q.weight", "w_k.weight"}) module->named_parameters()[name].mul_(12);
  }
  // Among scores of up to some hundreds, the largest often exceeds the next one by less than rounded factors move it.
  const auto x = torch::randn({1, 200, 16}), y = torch::randn({1, 300, 16});
  const PackedSequence packed_x{x[0], Packing({200})}, packed_y{y[0], Packing({300})};
  const auto cross = multi_head_attention(*cross_attention, 4, x, y);
  const auto self = multi_head_attention(*self_attention, 4, y, y);
  const PrecisionScope scope(Precision::bf16);
  CHECK(max_difference(cross_attention(packed_x, packed_y).pad(), cross) < 0.02 * cross.abs().max().item<double>());
  CHECK(max_difference(self_attention(packed_y, AttentionMask()).pad(), self) < 0.02 * self.abs().max().item<double>());
}

#endif

}  // namespace transformer
