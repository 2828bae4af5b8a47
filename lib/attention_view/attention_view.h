#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attention_view/word_attention.h"
#include "decoding/search_tree.h"
#include "inference/decoding_overrides.h"
#include "inference/loaded_model.h"
#include "model/attention_weights.h"

namespace transformer {

/// A sentence pair whose attention is to be looked at.
struct AttentionTask {
  std::string model;  // file
  std::string source;
  std::optional<std::string> target;  // without it, the translation that search finds
  DecodingOverrides decoding;         // of that search
};

/// The attention weights of one sentence pair, with the search that found the target.
struct AttentionView {
  struct Search {
    DecodingConfig config;
    std::vector<SearchNode> nodes;
    std::vector<std::string> pieces;  // of the nodes' tokens
    int64_t best;                     // index of the node of the translation
  };

  std::string model;  // file
  std::string source_text, target_text;
  std::vector<ShownToken> source;  // the encoder's input, with the end symbol
  std::vector<ShownToken> target;  // the decoder's input, with the begin symbol; each position predicts the next token
  AttentionWeights weights;        // [1, h, queries, keys] for each layer
  std::optional<Search> search;    // if the target was searched for
};

/// Which weights of a view an SVG picture shows. Layers and heads are counted from 1; none given: the last layer, all
/// heads.
struct AttentionSelection {
  enum class Attention { encoder, decoder, cross } attention = Attention::encoder;
  std::vector<int64_t> layers, heads;
  bool merges_words = false;  // whether words are shown instead of pieces
};

template <>
struct EnumNames<AttentionSelection::Attention> {
  static constexpr std::array names = {"encoder", "decoder", "cross"};
};

/// Computes all attention weights of a source and its target or, if none is given, of the translation that search
/// finds. Throws Error if source or target is empty, or too long for the model or for this command.
AttentionView view_attention(const AttentionTask& task, torch::Device device);

/// A JSON object for notebooks: the tokens, and the weights as lists [layer][head][query][key].
std::string format_json(const AttentionView& view);
/// A picture of the selected weights. Throws Error if the model has no such layer or head.
std::string format_svg(const AttentionView& view, const AttentionSelection& selection);
/// A self-contained HTML page (reporting/attention_page.h).
std::string format_html(const AttentionView& view);

}  // namespace transformer
