#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "decoding/search_constraint.h"
#include "trees/bracket_token.h"

namespace transformer {

/// The pieces of a vocabulary that are a parser's tokens: "(NP", ")NP" and "XX", each one piece.
struct BracketPieces {
  /// Throws Error where the vocabulary has no such pieces.
  explicit BracketPieces(const Tokenizer& tokenizer);

  std::map<int64_t, BracketToken> tokens;
  std::vector<int64_t> openings;            // of labels that can be closed too
  std::map<std::string, int64_t> closings;  // by label
  int64_t word = -1;
};

/// §6.3: every output is a well-formed tree with as many leaves as the sentence has words.
class TreeConstraint : public SearchConstraint {
 public:
  /// For each sentence its number of words and the most tokens of its output. `pieces` must outlive this.
  TreeConstraint(const BracketPieces& pieces, std::vector<int64_t> num_words, std::vector<int64_t> max_lengths);

  std::optional<std::vector<int64_t>> allowed(int64_t sentence, const std::vector<int64_t>& tokens) const override;

 private:
  const BracketPieces& pieces_;
  std::vector<int64_t> num_words_, max_lengths_;
};

}  // namespace transformer
