#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/enum_names.h"
#include "settings/key_traits.h"

namespace transformer {

enum class Position { sinusoidal, learned };

template <>
struct EnumNames<Position> {
  static constexpr std::array names = {"sinusoidal", "learned"};
};

/// LayerNorm after each residual connection (post), as in the paper, or before each sub-layer (pre). With pre, another
/// LayerNorm ends the encoder and the decoder, unless `final_layer_norm` is false.
enum class NormOrder { post, pre };

template <>
struct EnumNames<NormOrder> {
  static constexpr std::array names = {"post", "pre"};
};

/// The order of the channels of sinusoidal positions and their frequencies, for i from 0 to d_model / 2 - 1:
/// - interleaved: sin and cos alternate, 10000^(-2i / d_model) (§3.5).
/// - halves: all sin before all cos, the same frequencies (MarianMT of Hugging Face, CTranslate2).
/// - tensor2tensor: all sin before all cos, 10000^(-i / (d_model / 2 - 1)) (tensor2tensor, fairseq, Marian).
enum class Sinusoids { interleaved, halves, tensor2tensor };

template <>
struct EnumNames<Sinusoids> {
  static constexpr std::array names = {"interleaved", "halves", "tensor2tensor"};
};

/// The activation of the feed-forward network's inner layer: max(0, x) (§3.3); swish or SiLU, x * sigmoid(x); gelu,
/// x * Phi(x) with the normal distribution's Phi, as PyTorch, Hugging Face, fairseq and Marian have it; gelu_sigmoid,
/// x * sigmoid(1.702 x), as CTranslate2 has it in models converted from Marian.
enum class Activation { relu, swish, gelu, gelu_sigmoid };

template <>
struct EnumNames<Activation> {
  static constexpr std::array names = {"relu", "swish", "gelu", "gelu_sigmoid"};
};

/// Which of the source embedding, the target embedding and the output projection are the same matrix.
enum class EmbeddingTies { all, source_and_target, target_and_output, none };

template <>
struct EnumNames<EmbeddingTies> {
  static constexpr std::array names = {"all", "source_and_target", "target_and_output", "none"};
};

/// What the decoder's input begins with: a symbol of the vocabulary, or no symbol, whose embedding is zero.
enum class DecoderStart { begin, end, pad, zeros };

template <>
struct EnumNames<DecoderStart> {
  static constexpr std::array names = {"begin", "end", "pad", "zeros"};
};

/// The keys of the section `model`: the network's shape and dropout. The initial values are the base model's (Table 3).
struct ModelConfig {
  int64_t N = 6;
  int64_t d_model = 512;
  int64_t d_ff = 2048;
  int64_t h = 8;
  std::optional<int64_t> d_k, d_v;
  double P_drop = 0.1;
  Position position = Position::sinusoidal;
  std::optional<int64_t> max_positions;
  std::optional<int64_t> r;
  double attention_dropout = 0.0;
  double relu_dropout = 0.0;
  NormOrder layer_norm = NormOrder::post;
  // The family of models around the paper's, which other programs train (Deviation D23).
  std::optional<int64_t> decoder_layers;
  Activation activation = Activation::relu;
  bool attention_bias = false;
  bool output_bias = false;
  Sinusoids sinusoids = Sinusoids::interleaved;
  int64_t first_position = 0;
  bool scale_embedding = true;
  bool embedding_layer_norm = false;
  double layer_norm_epsilon = 1e-6;
  std::optional<bool> final_layer_norm;
  std::optional<EmbeddingTies> tied_embeddings;
  DecoderStart decoder_start = DecoderStart::begin;

  int64_t num_decoder_layers() const { return decoder_layers.value_or(N); }
  bool has_final_norm() const { return final_layer_norm.value_or(layer_norm == NormOrder::pre); }
  int64_t key_size() const { return d_k.value_or(d_model / h); }
  int64_t value_size() const { return d_v.value_or(d_model / h); }
  /// Positions that restricted self-attention sees on each side; null: all.
  std::optional<int64_t> reach() const { return r ? std::optional(*r / 2) : std::nullopt; }
};

/// A number of layers, heads or units.
inline constexpr Range kSizeRange = from_to(1, 1 << 20);

template <class Visitor>
void visit_fields(Visitor& visit, ModelConfig& c) {
  visit("N", c.N, {.range = kSizeRange}, "layers of the encoder and, without decoder_layers, of the decoder (§3.1)");
  visit("d_model", c.d_model, {.range = kSizeRange}, "width of every sub-layer's output (§3.1)");
  visit("d_ff", c.d_ff, {.range = kSizeRange}, "width of the feed-forward network's inner layer (§3.3)");
  visit("h", c.h, {.range = kSizeRange}, "attention heads (§3.2.2)");
  visit("d_k", c.d_k, {.range = kSizeRange}, "width of a head's queries and keys; null: d_model / h (§3.2.2)");
  visit("d_v", c.d_v, {.range = kSizeRange}, "width of a head's values; null: d_model / h (§3.2.2)");
  visit("P_drop", c.P_drop, {.range = kProbability}, "dropout on sub-layer outputs and on the embedding sums (§5.4)");
  visit("position", c.position, "positional encoding (§3.5; learned: Table 3, row E)");
  visit("max_positions", c.max_positions, {.range = kTokenCount},
        "learned positions only: the longest sequence they cover");
  visit("r", c.r, {.range = kSizeRange},
        "restricted self-attention: positions in the window around each (an even r counts as r + 1; the decoder sees "
        "the left half); null: all (§4, Table 1)");
  visit("attention_dropout", c.attention_dropout, {.range = kProbability},
        "dropout on attention weights; in the paper for parsing only (§6.3)");
  visit("relu_dropout", c.relu_dropout, {.range = kProbability}, "dropout after the inner ReLU; not in the paper");
  visit("layer_norm", c.layer_norm, "LayerNorm after each sub-layer's sum (post, §3.1) or before each sub-layer (pre)");
  visit("decoder_layers", c.decoder_layers, {.range = kSizeRange}, "layers of the decoder; null: N (§3.1)");
  visit("activation", c.activation, "activation of the feed-forward network's inner layer (§3.3: relu)");
  visit("attention_bias", c.attention_bias, "biases of the four projections of each attention; none in the paper");
  visit("output_bias", c.output_bias, "bias of the output projection; none in the paper");
  visit("sinusoids", c.sinusoids, "channels of sinusoidal positions: as in §3.5, in halves, or as in tensor2tensor");
  visit("first_position", c.first_position, {.range = from_to(0, 1000)},
        "sinusoidal position of the first token; fairseq: 2");
  visit("scale_embedding", c.scale_embedding, "multiply embeddings by sqrt(d_model) (§3.4)");
  visit("embedding_layer_norm", c.embedding_layer_norm,
        "LayerNorm of the sum of embedding and position; none in the paper");
  visit("layer_norm_epsilon", c.layer_norm_epsilon, {.range = kFraction}, "epsilon of every LayerNorm");
  visit("final_layer_norm", c.final_layer_norm, "LayerNorm at the end of both stacks; null: with layer_norm: pre");
  visit("tied_embeddings", c.tied_embeddings,
        "matrices shared among source embedding, target embedding and output projection (§3.4: all); null: all, or "
        "target_and_output if source and target have separate vocabularies");
  visit("decoder_start", c.decoder_start,
        "what the decoder's input begins with: begin, end or padding symbol, or zeros for its embedding");
}

}  // namespace transformer
