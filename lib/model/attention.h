#pragma once

#include <torch/torch.h>

#include "model/model_config.h"
#include "model/sentence_attention.h"

namespace transformer {

/// What is attended to, projected and split into heads: key [B, h, S, d_k], value [B, h, S, d_v].
struct KeyValue {
  torch::Tensor key, value;
};

/// Multi-head attention (§3.2.2): Concat(head_1, ..., head_h) W^O, without biases.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const ModelConfig& config);

  /// x [query positions, d_model] attends to memory [key positions, d_model], each sentence to its own. Returns
  /// [query positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const Packing& queries, const torch::Tensor& memory,
                        const Packing& keys, const AttentionMask& mask);

  // The same in two halves, for a search, which keeps keys and values.

  /// memory [B, S, d_model].
  KeyValue project(const torch::Tensor& memory);
  /// x [B, T, d_model]; allowed broadcastable to [B, h, T, S], true where attention is, or undefined where everything
  /// is. Returns [B, T, d_model].
  torch::Tensor attend(const torch::Tensor& x, const KeyValue& memory, const torch::Tensor& allowed);

 private:
  int64_t h_, d_k_, d_v_;
  double dropout_;
  torch::nn::Linear w_q_, w_k_, w_v_, w_o_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace transformer
