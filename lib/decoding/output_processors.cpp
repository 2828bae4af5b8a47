#include "decoding/output_processors.h"

#include <algorithm>
#include <set>

namespace transformer {

void BannedTokens::process(const std::vector<TokenId>& /*tokens*/, const State* /*state*/,
                           NextTokenRules& rules) const {
  rules.ban(tokens_);
}

void MinLength::process(const std::vector<TokenId>& tokens, const State* /*state*/, NextTokenRules& rules) const {
  if (std::ssize(tokens) + 1 < min_length_) rules.ban(end_);
}

void NoRepeatNgram::process(const std::vector<TokenId>& tokens, const State* /*state*/, NextTokenRules& rules) const {
  if (std::ssize(tokens) < size_) return;
  const auto begun = tokens.end() - (size_ - 1);  // the n-gram but for its last token
  for (auto first = tokens.begin(); first + size_ <= tokens.end(); ++first) {
    if (std::equal(begun, tokens.end(), first)) rules.ban(first[size_ - 1]);
  }
}

void RepetitionPenalty::process(const std::vector<TokenId>& tokens, const State* /*state*/,
                                NextTokenRules& rules) const {
  for (const TokenId token : std::set<TokenId>(tokens.begin(), tokens.end())) rules.scale(token, penalty_);
}

void ForcedPrefix::process(const std::vector<TokenId>& tokens, const State* /*state*/, NextTokenRules& rules) const {
  if (tokens.size() < prefix_.size()) rules.force(prefix_[tokens.size()]);
}

}  // namespace transformer
