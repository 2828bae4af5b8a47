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

  /// x [B, T, d_model]; memory [B, S, d_model]; causal_mask.allowed [T, T], or a window that ends at each position;
  /// source_mask.allowed [B, 1, 1, S]. Returns [B, T, d_model].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory, const AttentionMask& causal_mask,
                        const AttentionMask& source_mask);

  DecoderLayerCache start(const torch::Tensor& memory);
  /// x [rows, 1, d_model], rows = B * hypotheses of a sentence. Returns [rows, 1, d_model]; extends the cache.
  torch::Tensor step(const torch::Tensor& x, DecoderLayerCache& cache, const AttentionMask& source_mask);

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
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory, const AttentionMask& causal_mask,
                        const AttentionMask& source_mask);

  /// One cache a layer, for the sentences of memory [B, S, d_model].
  std::vector<DecoderLayerCache> start(const torch::Tensor& memory);
  /// As DecoderLayerImpl::step.
  torch::Tensor step(const torch::Tensor& x, std::vector<DecoderLayerCache>& caches, const AttentionMask& source_mask);

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(Decoder);

}  // namespace transformer
