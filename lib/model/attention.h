#pragma once

#include <torch/torch.h>

#include "model/linear.h"
#include "model/model_config.h"
#include "model/sentence_attention.h"
#include "ops/cached_attention.h"

namespace transformer {

/// What is attended to, projected and split into heads: key [positions, h, d_k], value [positions, h, d_v].
struct KeyValue {
  torch::Tensor key, value;
};

/// Keys and values that a search keeps, each at a place of its own.
class KeyValueCache {
 public:
  /// Keeps them at `places` [positions], below `capacity`.
  void put(const torch::Tensor& places, int64_t capacity, const KeyValue& of);

  const torch::Tensor& key() const { return kept_.key; }      // [capacity, h, d_k]
  const torch::Tensor& value() const { return kept_.value; }  // [capacity, h, d_v]

 private:
  KeyValue kept_;
};

/// Multi-head attention (§3.2.2): Concat(head_1, ..., head_h) W^O, without biases.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const ModelConfig& config);

  /// x [query positions, d_model] attends to memory [key positions, d_model], each sentence to its own. Returns
  /// [query positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const Packing& queries, const torch::Tensor& memory,
                        const Packing& keys, const AttentionMask& mask);

  /// What forward weighs memory by, without dropout, the mean over the heads: [B, longest query, longest key], zero for
  /// padding keys.
  torch::Tensor weights(const torch::Tensor& x, const Packing& queries, const torch::Tensor& memory,
                        const Packing& keys);

  // The same as forward in two halves, for a search, which keeps keys and values.

  /// memory [positions, d_model].
  KeyValue project(const torch::Tensor& memory);
  /// x [rows, d_model], each of which attends to its list of places. Returns [rows, d_model].
  torch::Tensor attend(const torch::Tensor& x, const KeyValueCache& cache, const PlaceLists& seen);

 private:
  int64_t h_, d_k_, d_v_;
  double dropout_;
  Linear w_q_, w_k_, w_v_, w_o_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace transformer
