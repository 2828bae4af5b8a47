#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/decoder.h"
#include "model/decoder_state.h"
#include "model/embedding.h"
#include "model/encoder.h"
#include "model/model_config.h"
#include "model/positional_encoding.h"
#include "ops/packing.h"

namespace transformer {

/// The model of figure 1. Token ids in, logits out.
class TransformerImpl : public torch::nn::Module {
 public:
  TransformerImpl(const ModelConfig& config, int64_t vocabulary_size);

  /// Returns logits [target positions, vocab].
  torch::Tensor forward(const Sentences& source, const Sentences& target_in);

  /// Returns the encoder's output [source positions, d_model].
  torch::Tensor encode(const Sentences& source);
  /// memory = encode(source). Returns the decoder's output [target positions, d_model].
  torch::Tensor decode(const Sentences& target_in, const torch::Tensor& memory, const Packing& source);
  /// x [..., d_model]. Returns logits [..., vocab].
  torch::Tensor project(const torch::Tensor& x);
  /// The matrix of `project`, shared with the embeddings: [vocab, d_model].
  const torch::Tensor& output_weight() const { return embedding_->weight(); }

  /// How much each target position attends to each source position in the decoder's last layer, the mean over its
  /// heads: [B, longest target, longest source].
  torch::Tensor source_attention(const Sentences& target_in, const Sentences& source);

  // A search, step by step.

  DecoderState empty_state() const;
  /// Encodes sentences and takes them into the search under these numbers.
  void begin(const std::vector<int64_t>& numbers, const Sentences& source, DecoderState& state);
  /// One step of the hypotheses of all sentences. Returns logits [rows, vocab].
  torch::Tensor step(const std::vector<StepRow>& rows, DecoderState& state);

  /// From now on the model only runs: encode, source_attention and the search, with its matrices in this type.
  void pack(WeightType type);

  const ModelConfig& config() const { return config_; }
  int64_t vocabulary_size() const { return embedding_->vocabulary_size(); }
  torch::Device device() const { return embedding_->device(); }

 private:
  /// Returns [positions, d_model].
  torch::Tensor embed(const Sentences& sentences, PositionalEncoding& positions);

  ModelConfig config_;
  Embedding embedding_;
  PositionalEncoding source_positions_, target_positions_;
  Encoder encoder_;
  Decoder decoder_;
};
TORCH_MODULE(Transformer);

}  // namespace transformer
