#pragma once

#include <torch/types.h>

#include <vector>

#include "model/transformer.h"

namespace transformer {

/// The attention weights of a batch, one tensor [B, h, longest query, longest key] in fp32 for each layer, as
/// `attention_weights` of ops/attention.h describes it: softmax(Q K^T / sqrt(d_k)) of Eq. 1.
struct AttentionWeights {
  std::vector<torch::Tensor> encoder;  // the encoder's self-attention
  std::vector<torch::Tensor> decoder;  // the decoder's self-attention
  std::vector<torch::Tensor> cross;    // the decoder's attention over the encoder's output
};

/// The weights of all layers, without dropout if the model is in evaluation mode.
AttentionWeights attention_weights(Transformer& model, const PackedSequence& source, const PackedSequence& target_in);

/// `cross` of the last layer alone.
torch::Tensor last_cross_attention_weights(Transformer& model, const PackedSequence& source,
                                           const PackedSequence& target_in);

}  // namespace transformer
