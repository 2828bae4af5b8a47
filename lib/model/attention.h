#pragma once

#include <torch/torch.h>

#include "model/model_config.h"

namespace transformer {

/// Eq. 1 (§3.2.1): softmax(Q K^T / sqrt(d_k)) V, with dropout on the weights.
/// query [B, h, T, d_k]; key [B, h, S, d_k]; value [B, h, S, d_v]; mask broadcastable to [B, h, T, S], true where
/// attention is allowed, or undefined where everything is. Returns [B, h, T, d_v].
torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask, double dropout);

/// What is attended to, projected and split into heads: key [B, h, S, d_k], value [B, h, S, d_v].
struct KeyValue {
  torch::Tensor key, value;
};

/// Multi-head attention (§3.2.2): Concat(head_1, ..., head_h) W^O, without biases.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const ModelConfig& config);

  /// query [B, T, d_model]; key, value [B, S, d_model]; mask broadcastable to [B, h, T, S], true where attention
  /// is allowed. Returns [B, T, d_model].
  torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                        const torch::Tensor& mask);

  /// The two halves of `forward`, so that a decoder can keep keys and values: key, value [B, S, d_model].
  KeyValue project(const torch::Tensor& key, const torch::Tensor& value);
  /// query [B, T, d_model]. Returns [B, T, d_model].
  torch::Tensor attend(const torch::Tensor& query, const KeyValue& memory, const torch::Tensor& mask);

 private:
  int64_t h_, d_k_, d_v_;
  double dropout_;
  torch::nn::Linear w_q_, w_k_, w_v_, w_o_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace transformer
