#pragma once

#include <map>
#include <string>
#include <vector>

#include "decoding/search_constraint.h"
#include "text/tokenizer.h"
#include "trees/bracket_token.h"

namespace transformer {

/// The vocabulary's pieces that are tokens of a linearized tree, such as "(NP", ")NP" and "XX".
struct BracketPieces {
  /// Throws Error if the vocabulary has no such pieces.
  explicit BracketPieces(const Tokenizer& tokenizer);

  std::map<int64_t, BracketToken> tokens;
  std::vector<int64_t> openings;            // of labels that also have a closing piece
  std::map<std::string, int64_t> closings;  // by label
  int64_t word = -1;
};

/// Restricts outputs to well-formed trees with one leaf for each word of the sentence, which the paper does not
/// do (Deviation D21).
class TreeConstraint : public SearchConstraint {
 public:
  /// The number of words and the maximal number of output tokens of each sentence. `pieces` must outlive this object.
  TreeConstraint(const BracketPieces& pieces, std::vector<int64_t> num_words, std::vector<int64_t> max_lengths);

  std::optional<std::vector<int64_t>> allowed(int64_t sentence_id, const std::vector<int64_t>& tokens) const override;

 private:
  const BracketPieces& pieces_;
  std::vector<int64_t> num_words_, max_lengths_;
};

}  // namespace transformer
