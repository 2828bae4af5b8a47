#pragma once

#include <torch/torch.h>

#include <optional>

#include "model/joint_linear.h"
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

/// What positions attend to (§3.2.3): themselves, or the encoder's output.
enum class Attends { to_itself, to_memory };

/// Multi-head attention (§3.2.2): Concat(head_1, ..., head_h) W^O, without biases.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  MultiHeadAttentionImpl(const ModelConfig& config, Attends attends);

  /// x [query positions, d_model] attends to memory [key positions, d_model], each sentence to its own; what attends to
  /// itself gives x as memory too. Returns [query positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const Packing& queries, const torch::Tensor& memory,
                        const Packing& keys, const AttentionMask& mask);

  /// What forward weighs memory by, without dropout, the mean over the heads: [B, longest query, longest key], zero for
  /// padding keys.
  torch::Tensor weights(const torch::Tensor& x, const Packing& queries, const torch::Tensor& memory,
                        const Packing& keys);

  // The same as forward for a search, which keeps keys and values: x [rows, d_model], each row of which attends to its
  // list of places in the cache. Returns [rows, d_model].

  /// To itself: the cache first takes in the keys and values of x, at `places` [rows] below `capacity`.
  torch::Tensor step(const torch::Tensor& x, const torch::Tensor& places, int64_t capacity, KeyValueCache& cache,
                     const PlaceLists& seen);
  /// To memory, whose keys and values the cache has.
  torch::Tensor step(const torch::Tensor& x, const KeyValueCache& cache, const PlaceLists& seen);
  /// The cache takes in the keys and values of memory [positions, d_model].
  void begin(const torch::Tensor& memory, const torch::Tensor& places, int64_t capacity, KeyValueCache& cache);

  /// From now on it only runs, with its matrices in this type, and keeps keys and values in row_type's.
  void pack(WeightType type);

 private:
  struct Projections {
    torch::Tensor query, key, value;  // [positions, h, d_k], the same, [positions, h, d_v]
  };
  Projections projections(const torch::Tensor& x, const torch::Tensor& memory);
  KeyValue project(const torch::Tensor& memory);
  KeyValue as_kept(const KeyValue& of) const;  // in the type of a cache
  torch::Tensor split_heads(const torch::Tensor& x) const { return x.unflatten(1, {h_, -1}); }

  int64_t h_;
  double dropout_;
  Linear w_q_, w_k_, w_v_, w_o_;
  Attends attends_;
  JointLinear of_x_, of_memory_;  // W^Q, and W^K and W^V with it or by themselves
  std::optional<WeightType> packed_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace transformer
