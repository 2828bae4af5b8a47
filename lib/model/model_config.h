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
/// LayerNorm ends the encoder and the decoder.
enum class NormOrder { post, pre };

template <>
struct EnumNames<NormOrder> {
  static constexpr std::array names = {"post", "pre"};
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

  int64_t key_size() const { return d_k.value_or(d_model / h); }
  int64_t value_size() const { return d_v.value_or(d_model / h); }
  /// Positions that restricted self-attention sees on each side; null: all.
  std::optional<int64_t> reach() const { return r ? std::optional(*r / 2) : std::nullopt; }
};

/// A number of layers, heads or units.
inline constexpr Range kSizeRange = from_to(1, 1 << 20);

template <class Visitor>
void visit_fields(Visitor& visit, ModelConfig& c) {
  visit("N", c.N, {.range = kSizeRange}, "layers of the encoder and of the decoder (§3.1)");
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
}

}  // namespace transformer
