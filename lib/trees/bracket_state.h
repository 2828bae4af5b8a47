#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trees/bracket_token.h"
#include "trees/tree.h"

namespace transformer {

/// The tokens of the shortest tree over so many words, the end included.
int64_t shortest_tree(int64_t num_words);

/// Where a sequence of bracket tokens stands, and which tokens may come next so that it can still become what
/// `linearize` makes of a tree with the sentence's number of words: one bracket with all others inside, none of them
/// empty, each closed by its own label, one word token for each word, and then the end. While only allowed tokens are
/// taken, at least one is always allowed, up to the end.
class BracketState {
 public:
  /// The sequence has at most `max_tokens`, its end included; a limit too narrow for any tree is widened to the least.
  BracketState(int64_t num_words, int64_t max_tokens);

  /// Whether a bracket may be opened, whatever its label.
  bool may_open() const;
  /// Whether `innermost` may be closed.
  bool may_close() const;
  bool may_take_word() const;
  bool may_end() const;

  /// The label of the bracket that a closing token now closes; there must be an open one.
  const std::string& innermost() const { return open_.back(); }

  /// Goes on by a token that is allowed.
  void take(const BracketToken& token);

 private:
  int64_t words_left_, tokens_left_;
  std::vector<std::string> open_;  // the outermost first
  bool just_opened_ = false;       // the innermost is still empty
};

}  // namespace transformer
