#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>

#include <vector>

#include "model/add_norm.h"
#include "model/attention.h"
#include "model/decoder_state.h"
#include "model/feed_forward.h"

namespace transformer {

/// One layer of the decoder (§3.1): causal self-attention, attention over the encoder's output ("memory"), then the
/// feed-forward network.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  explicit DecoderLayerImpl(const ModelConfig& config);

  /// x [target positions, d_model]; memory [source positions, d_model]. Returns [target positions, d_model].
  PackedSequence forward(const PackedSequence& x, const PackedSequence& memory, const AttentionMask& mask);

  /// Stores the keys and values of memory [source positions, d_model] in the cache.
  void cache_memory(const torch::Tensor& memory, const NewSlots& slots, DecoderLayerCache& cache);
  /// One step of a search: x [rows, d_model], a row for each live hypothesis. Returns [rows, d_model].
  PackedSequence step(const PackedSequence& x, const DecoderStep& step, DecoderLayerCache& cache);

 private:
  SelfAttention self_attention_;
  AddNorm self_attention_norm_;
  CrossAttention cross_attention_;
  AddNorm cross_attention_norm_;
  FeedForward feed_forward_;
  AddNorm feed_forward_norm_;
};
TORCH_MODULE(DecoderLayer);

/// The stack of decoder layers (§3.1).
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelConfig& config);

  /// As DecoderLayerImpl::forward.
  PackedSequence forward(const PackedSequence& x, const PackedSequence& memory, const AttentionMask& mask);

  /// Adds these sentences, whose encoder output is memory [source positions, d_model], to a search.
  void begin(const std::vector<int64_t>& sentence_ids, const PackedSequence& memory, DecoderState& state);
  /// As DecoderLayerImpl::step.
  PackedSequence step(const PackedSequence& x, const DecoderStep& step, DecoderState& state);

 private:
  torch::nn::ModuleList layers_;
  torch::nn::LayerNorm norm_{nullptr};  // with has_final_norm
};
TORCH_MODULE(Decoder);

}  // namespace transformer
