#include "model/attention.h"

#include "model/scaled_dot_product_attention.h"
#include "ops/product_type.h"

namespace transformer {
namespace {

torch::nn::Linear projection(int64_t in, int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));  // Deviation D2
}

/// [B, S, h * width] -> [B, h, S, width]
torch::Tensor split_heads(const torch::Tensor& x, int64_t h, int64_t width) {
  return x.view({x.size(0), x.size(1), h, width}).transpose(1, 2);
}

}  // namespace

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const ModelConfig& config)
    : h_(config.h),
      d_k_(config.key_size()),
      d_v_(config.value_size()),
      dropout_(config.attention_dropout),
      w_q_(register_module("w_q", projection(config.d_model, h_ * d_k_))),
      w_k_(register_module("w_k", projection(config.d_model, h_ * d_k_))),
      w_v_(register_module("w_v", projection(config.d_model, h_ * d_v_))),
      w_o_(register_module("w_o", projection(h_ * d_v_, config.d_model))) {}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x, const Packing& queries,
                                              const torch::Tensor& memory, const Packing& keys,
                                              const AttentionMask& mask) {
  const bool is_self_attention = memory.is_same(x);
  const auto for_q = for_products(x, is_self_attention ? 3 : 1);
  const auto for_kv = is_self_attention ? std::vector(for_q.begin() + 1, for_q.end()) : for_products(memory, 2);
  const auto heads =
      sentence_attention(w_q_(for_q[0]).unflatten(1, {h_, d_k_}), w_k_(for_kv[0]).unflatten(1, {h_, d_k_}),
                         w_v_(for_kv[1]).unflatten(1, {h_, d_v_}), queries, keys, mask,
                         is_training() ? dropout_ : 0.0);  // [query positions, h, d_v]
  return w_o_(heads.flatten(1));                           // [query positions, d_model]
}

KeyValue MultiHeadAttentionImpl::project(const torch::Tensor& memory) {
  return {split_heads(w_k_(memory), h_, d_k_), split_heads(w_v_(memory), h_, d_v_)};
}

torch::Tensor MultiHeadAttentionImpl::attend(const torch::Tensor& x, const KeyValue& memory,
                                             const torch::Tensor& allowed) {
  const auto queries = split_heads(w_q_(x), h_, d_k_);
  const auto heads = scaled_dot_product_attention(queries, memory.key, memory.value, allowed, /*dropout=*/0.0);
  return w_o_(heads.transpose(1, 2).flatten(2));  // [B, T, d_model]
}

}  // namespace transformer
