#pragma once

#include <torch/torch.h>

#include "model/attention.h"
#include "model/feed_forward.h"
#include "model/sublayer.h"

namespace transformer {

/// One layer of the encoder (§3.1): self-attention, then the feed-forward network.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  explicit EncoderLayerImpl(const ModelConfig& config);

  /// x [source positions, d_model]. Returns the same shape.
  torch::Tensor forward(const torch::Tensor& x, const Packing& source, const AttentionMask& mask);

 private:
  MultiHeadAttention self_attention_;
  Sublayer self_attention_sublayer_;
  FeedForward feed_forward_;
  Sublayer feed_forward_sublayer_;
};
TORCH_MODULE(EncoderLayer);

/// The stack of N encoder layers (§3.1).
class EncoderImpl : public torch::nn::Module {
 public:
  explicit EncoderImpl(const ModelConfig& config);

  /// x [source positions, d_model]. Returns the same shape.
  torch::Tensor forward(const torch::Tensor& x, const Packing& source, const AttentionMask& mask);

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(Encoder);

}  // namespace transformer
