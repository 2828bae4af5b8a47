#include "model/attention.h"

#include "model/scaled_dot_product_attention.h"

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

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& query, const torch::Tensor& key,
                                              const torch::Tensor& value, const AttentionMask& mask) {
  return attend(query, project(key, value), mask);
}

KeyValue MultiHeadAttentionImpl::project(const torch::Tensor& key, const torch::Tensor& value) {
  return {split_heads(w_k_(key), h_, d_k_), split_heads(w_v_(value), h_, d_v_)};
}

torch::Tensor MultiHeadAttentionImpl::attend(const torch::Tensor& query, const KeyValue& memory,
                                             const AttentionMask& mask) {
  const auto queries = split_heads(w_q_(query), h_, d_k_);
  const double dropout = is_training() ? dropout_ : 0.0;
  const auto heads =
      mask.window
          ? restricted_self_attention(queries, memory.key, memory.value, *mask.window, mask.allowed, dropout)
          : scaled_dot_product_attention(queries, memory.key, memory.value, mask.allowed, dropout);  // [B, h, T, d_v]
  return w_o_(heads.transpose(1, 2).flatten(2));                                                     // [B, T, d_model]
}

}  // namespace transformer
