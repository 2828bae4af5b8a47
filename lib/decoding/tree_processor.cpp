#include "decoding/tree_processor.h"

#include <utility>

#include "base/error.h"
#include "trees/bracket_state.h"

namespace transformer {

BracketPieces::BracketPieces(const Tokenizer& tokenizer) : end(tokenizer.special_tokens().end) {
  std::map<std::string, TokenId> opening_of;
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    const std::string piece = tokenizer.piece(id);
    if (!piece.starts_with(kSpaceMark)) continue;
    const std::string text = piece.substr(kSpaceMark.size());
    const BracketToken token = read_bracket_token(text);
    if (token.kind == BracketToken::Kind::word && text != kWordToken) continue;
    tokens[id] = token;
    if (token.kind == BracketToken::Kind::word) word = id;
    if (token.kind == BracketToken::Kind::open) opening_of[token.label] = id;
    if (token.kind == BracketToken::Kind::close) closings[token.label] = id;
  }
  for (const auto& [label, id] : opening_of) {
    if (closings.contains(label)) openings.push_back(id);
  }
  if (word < 0 || openings.empty()) {
    throw Error(
        "the target vocabulary has no pieces such as '(NP', ')NP' and '{}', of which trees consist; set "
        "decoding.trees: "
        "false, in the config or for this call, or train a parser with data.whole_target_words: true",
        kWordToken);
  }
}

namespace {

struct TreeState : LogitsProcessor::State {
  explicit TreeState(BracketState so_far) : brackets(std::move(so_far)) {}
  BracketState brackets;
};

const BracketState& brackets_of(const LogitsProcessor::State& state) {
  return static_cast<const TreeState&>(state).brackets;
}

}  // namespace

LogitsProcessor::SharedState TreeProcessor::initial_state() const {
  return std::make_shared<TreeState>(BracketState(num_words_, max_length_));
}

LogitsProcessor::SharedState TreeProcessor::next_state(const SharedState& state, TokenId token) const {
  if (token == pieces_.end) return state;
  auto next = std::make_shared<TreeState>(brackets_of(*state));
  next->brackets.take(pieces_.tokens.at(token));
  return next;
}

void TreeProcessor::process(const std::vector<TokenId>& /*tokens*/, const State* state, NextTokenRules& rules) const {
  const BracketState& brackets = brackets_of(*state);
  std::vector<TokenId> allowed;
  if (brackets.may_open()) allowed = pieces_.openings;
  if (brackets.may_close()) allowed.push_back(pieces_.closings.at(brackets.innermost()));
  if (brackets.may_take_word()) allowed.push_back(pieces_.word);
  if (brackets.may_end()) allowed.push_back(pieces_.end);
  rules.allow_only(std::move(allowed));
}

}  // namespace transformer
