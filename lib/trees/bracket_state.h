#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trees/bracket_token.h"
#include "trees/tree.h"

namespace transformer {

/// The number of tokens that the shortest tree has besides its words: "(S", ")S" and the end symbol.
inline constexpr int64_t kTokensAroundWords = 3;

/// The number of tokens of the shortest tree over so many words, including the end symbol.
int64_t shortest_tree(int64_t num_words);

/// The state of an unfinished sequence of bracket tokens. It decides which tokens may come next so that the sequence
/// can still become the output of `linearize` for a tree with the given number of words: one bracket that contains all
/// others, no empty brackets, each bracket closed with its own label, one word token for each word, and then the end
/// symbol. As long as only allowed tokens are taken, at least one token is allowed until the end.
class BracketState {
 public:
  /// The sequence may have `max_tokens` tokens, including the end symbol, or as many as the shortest tree needs.
  BracketState(int64_t num_words, int64_t max_tokens);

  /// Whether a bracket may be opened, with any label.
  bool may_open() const;
  /// Whether the innermost open bracket may be closed.
  bool may_close() const;
  bool may_take_word() const;
  bool may_end() const;

  /// The label of the innermost open bracket. There must be an open bracket.
  const std::string& innermost() const { return open_.back(); }

  /// Appends a token, which must be allowed.
  void take(const BracketToken& token);

 private:
  int64_t words_left_, tokens_left_;
  std::vector<std::string> open_;  // the outermost first
  bool just_opened_ = false;       // whether the innermost bracket is still empty
};

}  // namespace transformer
