#pragma once

#include <torch/nn/module.h>

#include <vector>

#include "model/decoder.h"
#include "model/decoder_state.h"
#include "model/embedding.h"
#include "model/embedding_matrices.h"
#include "model/encoder.h"
#include "model/linear.h"
#include "model/model_config.h"
#include "model/positional_encoding.h"

namespace transformer {

/// The model of Figure 1: token ids in, logits out. Sources and targets are PackedSequences of token ids [positions].
class TransformerImpl : public torch::nn::Module {
 public:
  /// Throws Error as EmbeddingMatrices does.
  TransformerImpl(const ModelConfig& config, const VocabularySizes& vocabularies);

  /// Returns logits [target positions, vocab].
  torch::Tensor forward(const PackedSequence& source, const PackedSequence& target_in);

  /// Returns the encoder's output ("memory") [source positions, d_model].
  PackedSequence encode(const PackedSequence& source);
  /// memory = encode(source). Returns the decoder's output for a given target (teacher forcing), all positions at once:
  /// [target positions, d_model].
  PackedSequence decode(const PackedSequence& target_in, const PackedSequence& memory);
  /// x [rows, d_model]. Returns logits [rows, vocab].
  torch::Tensor project(const torch::Tensor& x);
  /// The matrix of `project`, which is also the target embedding's if the two are tied: [vocab, d_model].
  const torch::Tensor& output_weight() const {
    return output_projection_ ? output_projection_->weight() : embedding_->weight();
  }
  /// Its bias [vocab]; undefined without `output_bias`.
  const torch::Tensor& output_bias() const {
    return output_projection_ ? output_projection_->bias() : embedding_->bias();
  }

  // Step-by-step decoding of a search.

  DecoderState empty_state() const;
  /// Encodes sentences and adds them to the search under these ids.
  void begin(const std::vector<int64_t>& sentence_ids, const PackedSequence& source, DecoderState& state);
  /// One step of the hypotheses of all sentences. Returns logits [rows, vocab].
  torch::Tensor step(const std::vector<StepRow>& rows, DecoderState& state);

  /// Prepares the model for inference: packs all matrices in this data type and releases the parameters. The forward
  /// pass and searches still work; `output_weight` may be undefined, so losses and the scores of given translations
  /// cannot be computed.
  void pack(WeightType type);

  const ModelConfig& config() const { return config_; }
  const EmbeddingMatrices& embeddings() const { return embeddings_; }
  torch::Device device() const { return embedding_->device(); }

 private:
  /// What makes the input of a stack from tokens.
  struct StackInput {
    Embedding embedding;
    PositionalEncoding positions;
    torch::nn::LayerNorm norm{nullptr};  // with `embedding_layer_norm`
    bool starts_from_zeros = false;      // whether the first embedding of each sequence is zero
  };

  /// The embedding sums with dropout: [positions, d_model].
  PackedSequence embed(const PackedSequence& tokens, StackInput& input);
  /// The sums of tokens [rows] at position_ids [rows], all below num_positions, without dropout: [rows, d_model].
  torch::Tensor embedding_sums(const torch::Tensor& tokens, const torch::Tensor& position_ids, int64_t num_positions,
                               StackInput& input);

  ModelConfig config_;
  EmbeddingMatrices embeddings_;
  Embedding embedding_;                // of the target, and of what is tied to it
  Linear output_projection_{nullptr};  // empty if tied to the target's embedding
  StackInput source_, target_;
  Encoder encoder_;
  Decoder decoder_;
};
TORCH_MODULE(Transformer);

}  // namespace transformer
