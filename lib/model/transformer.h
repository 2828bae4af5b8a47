#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/decoder.h"
#include "model/embedding.h"
#include "model/encoder.h"
#include "model/model_config.h"
#include "model/positional_encoding.h"
#include "ops/packing.h"

namespace transformer {

/// The decoder's memory of a running search: caches, the sources' mask, and the position of the next word.
struct DecoderState {
  std::vector<DecoderLayerCache> layers;
  torch::Tensor source_mask;  // [B, 1, 1, S], true where there is a token and not padding
  int64_t position = 0;

  /// Keeps the sentences of the given numbers [B'] and, in their order, the hypotheses of the given rows [rows'].
  void keep(const torch::Tensor& sentences, const torch::Tensor& rows);
};

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

  /// The beginning of a search over these sentences.
  DecoderState start(const Sentences& source);
  /// tokens [rows], the last word of each hypothesis, the same number for every sentence. Returns logits [rows, vocab].
  torch::Tensor step(const torch::Tensor& tokens, DecoderState& state);

  const ModelConfig& config() const { return config_; }
  int64_t vocabulary_size() const { return embedding_->weight().size(0); }
  torch::Device device() const { return embedding_->weight().device(); }

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
