#pragma once

#include <torch/torch.h>

#include <optional>

#include "model/model_config.h"
#include "model/restricted_attention.h"

namespace transformer {

/// Which positions may be attended to.
struct AttentionMask {
  torch::Tensor allowed;         // boolean, broadcastable to [B, h, T, S], true where allowed; undefined: everywhere
  std::optional<Window> window;  // self-attention sees no further than this; `allowed` is [B, 1, 1, S] then
};

/// What is attended to, projected and split into heads: key [B, h, S, d_k], value [B, h, S, d_v].
struct KeyValue {
  torch::Tensor key, value;
};

/// Multi-head attention (§3.2.2): Concat(head_1, ..., head_h) W^O, without biases.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const ModelConfig& config);

  /// query [B, T, d_model]; key, value [B, S, d_model]. Returns [B, T, d_model].
  torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                        const AttentionMask& mask);

  /// The two halves of `forward`, so that a decoder can keep keys and values: key, value [B, S, d_model].
  KeyValue project(const torch::Tensor& key, const torch::Tensor& value);
  /// query [B, T, d_model]. Returns [B, T, d_model].
  torch::Tensor attend(const torch::Tensor& query, const KeyValue& memory, const AttentionMask& mask);

 private:
  int64_t h_, d_k_, d_v_;
  double dropout_;
  torch::nn::Linear w_q_, w_k_, w_v_, w_o_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace transformer
