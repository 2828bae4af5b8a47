#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>

#include "model/add_norm.h"
#include "model/attention.h"
#include "model/feed_forward.h"

namespace transformer {

/// One layer of the encoder (§3.1): self-attention, then the feed-forward network.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  explicit EncoderLayerImpl(const ModelConfig& config);

  /// x [source positions, d_model]. Returns the same shape.
  PackedSequence forward(const PackedSequence& x, const AttentionMask& mask);

 private:
  SelfAttention self_attention_;
  AddNorm self_attention_norm_;
  FeedForward feed_forward_;
  AddNorm feed_forward_norm_;
};
TORCH_MODULE(EncoderLayer);

/// The stack of N encoder layers (§3.1).
class EncoderImpl : public torch::nn::Module {
 public:
  explicit EncoderImpl(const ModelConfig& config);

  /// x [source positions, d_model]. Returns the same shape.
  PackedSequence forward(const PackedSequence& x, const AttentionMask& mask);

 private:
  torch::nn::ModuleList layers_;
  torch::nn::LayerNorm norm_{nullptr};  // with has_final_norm
};
TORCH_MODULE(Encoder);

}  // namespace transformer
