#include "trees/bracket_state.h"

#include <algorithm>

namespace transformer {

int64_t shortest_tree(int64_t num_words) { return num_words == 0 ? 1 : num_words + kTokensAroundWords; }

BracketState::BracketState(int64_t num_words, int64_t max_tokens)
    : words_left_(num_words), tokens_left_(std::max(max_tokens, shortest_tree(num_words))) {}

bool BracketState::may_open() const {
  if (words_left_ == 0 || open_.size() == kMaxTreeDepth) return false;
  const auto num_open = static_cast<int64_t>(open_.size()) + 1;
  return tokens_left_ - 1 >= words_left_ + num_open + 1;  // the words, the closing brackets, the end symbol
}

bool BracketState::may_close() const {
  // The outermost bracket must contain all words.
  return !open_.empty() && !just_opened_ && (open_.size() > 1 || words_left_ == 0);
}

bool BracketState::may_take_word() const { return !open_.empty() && words_left_ > 0; }

bool BracketState::may_end() const { return open_.empty() && words_left_ == 0; }

void BracketState::take(const BracketToken& token) {
  --tokens_left_;
  just_opened_ = token.kind == BracketToken::Kind::open;
  switch (token.kind) {
    case BracketToken::Kind::open:
      open_.push_back(token.label);
      break;
    case BracketToken::Kind::close:
      open_.pop_back();
      break;
    case BracketToken::Kind::word:
      --words_left_;
      break;
  }
}

}  // namespace transformer
