#pragma once

#include <torch/nn/module.h>

#include "model/kv_cache.h"
#include "model/linear.h"
#include "model/model_config.h"
#include "ops/attention.h"

namespace transformer {

// Multi-head attention (§3.2.2): Concat(head_1, ..., head_h) W^O, where head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V);
// biases only with `attention_bias` (Deviation D2). The registered names of the matrices are part of the checkpoint
// format. w_q [h * d_k, d_model] holds (W_1^Q)^T, ..., (W_h^Q)^T one below the other; likewise w_k [h * d_k, d_model]
// and w_v [h * d_v, d_model]; w_o [d_model, h * d_v] is (W^O)^T. JointLinear registers matrices that have the same
// input and multiplies by them together.

/// Q, K and V are the same sequence (§3.2.3).
class SelfAttentionImpl : public torch::nn::Module {
 public:
  explicit SelfAttentionImpl(const ModelConfig& config);

  /// x [positions, d_model]. Returns [positions, d_model].
  PackedSequence forward(const PackedSequence& x, const AttentionMask& mask);

  /// One step of a search: x [rows, d_model], a row for the last token of each live hypothesis. Stores its keys and
  /// values in `slots.new_slots` of the cache; then each row attends to the slots of its hypothesis, `slots.visible`.
  /// Returns [rows, d_model].
  PackedSequence step(const PackedSequence& x, const StepSlots& slots, KeyValueCache& cache);

  /// Converts to inference-only mode (see Linear::pack).
  void pack(WeightType type);

 private:
  int64_t h_;
  double dropout_;
  JointLinear qkv_;
  Linear w_o_;
};
TORCH_MODULE(SelfAttention);

/// Q is the decoder's sequence, K and V are the encoder's output, "memory" (§3.2.3).
class CrossAttentionImpl : public torch::nn::Module {
 public:
  explicit CrossAttentionImpl(const ModelConfig& config);

  /// x [target positions, d_model]; memory [source positions, d_model]. Returns [target positions, d_model].
  PackedSequence forward(const PackedSequence& x, const PackedSequence& memory);

  /// Stores the keys and values of memory [source positions, d_model] in `slots` [source positions] of the cache.
  void cache_memory(const torch::Tensor& memory, const NewSlots& slots, KeyValueCache& cache);
  /// One step of a search: each row of x [rows, d_model] attends to the slots of its source sentence, listed in
  /// `visible`. Returns [rows, d_model].
  PackedSequence step(const PackedSequence& x, const PackedSequence& visible, const KeyValueCache& cache);

  /// Converts to inference-only mode (see Linear::pack).
  void pack(WeightType type);

 private:
  int64_t h_;
  double dropout_;
  Linear w_q_;
  JointLinear kv_;
  Linear w_o_;
};
TORCH_MODULE(CrossAttention);

}  // namespace transformer
