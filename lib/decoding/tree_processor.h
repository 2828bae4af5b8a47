#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "decoding/logits_processor.h"
#include "text/tokenizer.h"
#include "trees/bracket_token.h"

namespace transformer {

/// The vocabulary's pieces that are tokens of a linearized tree, such as "(NP", ")NP" and "XX".
struct BracketPieces {
  /// Throws Error if the vocabulary has no such pieces.
  explicit BracketPieces(const Tokenizer& tokenizer);

  std::map<TokenId, BracketToken> tokens;
  std::vector<TokenId> openings;            // of labels that also have a closing piece
  std::map<std::string, TokenId> closings;  // by label
  TokenId word = -1;
  TokenId end;
};

/// Restricts outputs to well-formed trees with one leaf for each word of the sentence, which the paper does not
/// do (Deviation D21).
class TreeProcessor : public LogitsProcessor {
 public:
  /// For a sentence of so many words and outputs of at most `max_length` tokens. `pieces` must outlive this object.
  TreeProcessor(const BracketPieces& pieces, int64_t num_words, int64_t max_length)
      : pieces_(pieces), num_words_(num_words), max_length_(max_length) {}

  SharedState initial_state() const override;
  SharedState next_state(const SharedState& state, TokenId token) const override;
  void process(const std::vector<TokenId>& tokens, const State* state, NextTokenRules& rules) const override;

 private:
  const BracketPieces& pieces_;
  int64_t num_words_, max_length_;
};

}  // namespace transformer
