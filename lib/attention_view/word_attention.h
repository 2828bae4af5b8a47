#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_config.h"
#include "text/tokenizers.h"

namespace transformer {

/// A token of the model's input, as shown.
struct ShownToken {
  std::string piece;  // as SentencePiece writes it, "▁" for the space before a word
  std::string text;   // without the leading "▁" if there is more
  int64_t word;       // number of its word, from 0; each symbol is a word of its own
  bool is_unknown;
};

/// The encoder's input for these pieces: they are followed by the end symbol, if the model's sources have one.
std::vector<ShownToken> shown_source(const Tokenizer& tokenizer, const std::vector<TokenId>& pieces);
/// The decoder's input for these pieces: they are preceded by what the model's decoder starts with, `<zeros>` if that
/// is no symbol.
std::vector<ShownToken> shown_target(const ModelConfig& config, const Tokenizers& tokenizers,
                                     const std::vector<TokenId>& pieces);

/// The words of these tokens, each the text of its pieces.
std::vector<std::string> words_of(const std::vector<ShownToken>& tokens);

/// The weights of one sentence pair, [1, h, queries, keys] of each layer, as one tensor [layers, h, queries, keys] on
/// the CPU.
torch::Tensor stack_layers(const std::vector<torch::Tensor>& layers);

/// Attention between words instead of pieces: a word is attended to by the sum of its pieces' weights, and attends by
/// the mean of its pieces' weights, so that each row still sums to 1. weights [..., queries, keys] on the CPU. Returns
/// [..., query words, key words].
torch::Tensor merge_into_words(const torch::Tensor& weights, const std::vector<ShownToken>& queries,
                               const std::vector<ShownToken>& keys);

}  // namespace transformer
