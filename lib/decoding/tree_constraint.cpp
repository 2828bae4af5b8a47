#include "decoding/tree_constraint.h"

#include "base/error.h"
#include "trees/bracket_state.h"

namespace transformer {

BracketPieces::BracketPieces(const Tokenizer& tokenizer) {
  std::map<std::string, int64_t> opening_of;
  for (int64_t id = kEnd + 1; id < tokenizer.size(); ++id) {
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
        "decoding.trees: false (translate: --no-trees), or train a parser with data.whole_target_words: true",
        kWordToken);
  }
}

TreeConstraint::TreeConstraint(const BracketPieces& pieces, std::vector<int64_t> num_words,
                               std::vector<int64_t> max_lengths)
    : pieces_(pieces), num_words_(std::move(num_words)), max_lengths_(std::move(max_lengths)) {}

std::optional<std::vector<int64_t>> TreeConstraint::allowed(int64_t sentence_id,
                                                            const std::vector<int64_t>& tokens) const {
  BracketState state(num_words_[sentence_id], max_lengths_[sentence_id]);
  for (const int64_t token : tokens) state.take(pieces_.tokens.at(token));
  std::vector<int64_t> ids;
  if (state.may_open()) ids = pieces_.openings;
  if (state.may_close()) ids.push_back(pieces_.closings.at(state.innermost()));
  if (state.may_take_word()) ids.push_back(pieces_.word);
  if (state.may_end()) ids.push_back(kEnd);
  return ids;
}

}  // namespace transformer
