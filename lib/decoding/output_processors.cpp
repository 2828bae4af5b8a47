#include "decoding/output_processors.h"

namespace transformer {

void BannedTokens::process(const std::vector<TokenId>& /*tokens*/, const State* /*state*/,
                           NextTokenRules& rules) const {
  rules.ban(tokens_);
}

void MinLength::process(const std::vector<TokenId>& tokens, const State* /*state*/, NextTokenRules& rules) const {
  if (std::ssize(tokens) + 1 < min_length_) rules.ban(end_);
}

void ForcedPrefix::process(const std::vector<TokenId>& tokens, const State* /*state*/, NextTokenRules& rules) const {
  if (tokens.size() < prefix_.size()) rules.allow_only({prefix_[tokens.size()]});
}

}  // namespace transformer
