#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/attention.h"
#include "model/decoder_state.h"
#include "model/feed_forward.h"
#include "model/sublayer.h"

namespace transformer {

/// One layer of the decoder (§3.1): causal self-attention, attention over the encoder's output, feed-forward network.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  explicit DecoderLayerImpl(const ModelConfig& config);

  /// x [target positions, d_model]; memory [source positions, d_model]. Returns [target positions, d_model].
  torch::Tensor forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                        const Packing& source, const AttentionMask& mask);

  /// The weights of the attention over the encoder's output, as MultiHeadAttentionImpl::weights; arguments as
  /// forward's.
  torch::Tensor memory_weights(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                               const Packing& source, const AttentionMask& mask);

  /// The cache takes in the keys and values of memory [source positions, d_model], at `places` below
  /// `memory_capacity`.
  void begin(const torch::Tensor& memory, const torch::Tensor& places, int64_t memory_capacity,
             DecoderLayerCache& cache);
  /// x [rows, d_model], each packed by itself. Returns [rows, d_model]; the cache takes the new words in, and has room
  /// for `words_capacity`.
  torch::Tensor step(const torch::Tensor& x, const Packing& rows, const DecoderStep& step, int64_t words_capacity,
                     DecoderLayerCache& cache);

 private:
  MultiHeadAttention self_attention_;
  Sublayer self_attention_sublayer_;
  MultiHeadAttention memory_attention_;
  Sublayer memory_attention_sublayer_;
  FeedForward feed_forward_;
  Sublayer feed_forward_sublayer_;
};
TORCH_MODULE(DecoderLayer);

/// The stack of N decoder layers (§3.1).
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelConfig& config);

  /// As DecoderLayerImpl::forward.
  torch::Tensor forward(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                        const Packing& source, const AttentionMask& mask);

  /// The last layer's DecoderLayerImpl::memory_weights.
  torch::Tensor memory_weights(const torch::Tensor& x, const Packing& target, const torch::Tensor& memory,
                               const Packing& source, const AttentionMask& mask);

  /// Takes these sentences into a search. memory [source positions, d_model].
  void begin(const std::vector<int64_t>& sentences, const torch::Tensor& memory, const Packing& source,
             DecoderState& state);
  /// x [rows, d_model], one position of each hypothesis. Returns [rows, d_model].
  torch::Tensor step(const torch::Tensor& x, const DecoderStep& step, DecoderState& state);

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(Decoder);

}  // namespace transformer
