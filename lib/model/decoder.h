#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/attention.h"
#include "model/feed_forward.h"
#include "model/sublayer.h"

namespace transformer {

/// What one decoder layer keeps between steps: keys and values of the hypotheses' words so far
/// [rows, h, t, d_k | d_v], no more than self-attention sees, and of the encoder's output, once a sentence [B, h, S,
/// d_k | d_v].
struct DecoderLayerCache {
  KeyValue words, memory;
};

/// One layer of the decoder (§3.1): causal self-attention, attention over the encoder's output, feed-forward network.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  explicit DecoderLayerImpl(const ModelConfig& config);

  /// x [target positions, d_model]; memory [source positions, d_model]. Returns [target positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                        const Packing& source, const AttentionMask& mask);

  /// memory [B, S, d_model], padded.
  DecoderLayerCache start(const torch::Tensor& memory);
  /// x [rows, d_model], rows = B * hypotheses of a sentence, each packed by itself; source_mask [B, 1, 1, S]. Returns
  /// [rows, d_model]; extends the cache.
  torch::Tensor step(const torch::Tensor& x, const Packing& rows, DecoderLayerCache& cache,
                     const torch::Tensor& source_mask);

 private:
  MultiHeadAttention self_attention_;
  Sublayer self_attention_sublayer_;
  MultiHeadAttention memory_attention_;
  Sublayer memory_attention_sublayer_;
  FeedForward feed_forward_;
  Sublayer feed_forward_sublayer_;
  std::optional<int64_t> seen_words_;  // by self-attention, the present one included; all without `r`
};
TORCH_MODULE(DecoderLayer);

/// The stack of N decoder layers (§3.1).
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelConfig& config);

  /// As DecoderLayerImpl::forward.
  torch::Tensor forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                        const Packing& source, const AttentionMask& mask);

  /// One cache a layer, for the sentences of memory [B, S, d_model], padded.
  std::vector<DecoderLayerCache> start(const torch::Tensor& memory);
  /// As DecoderLayerImpl::step, layer by layer.
  torch::Tensor step(const torch::Tensor& x, std::vector<DecoderLayerCache>& caches, const torch::Tensor& source_mask);

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(Decoder);

}  // namespace transformer
