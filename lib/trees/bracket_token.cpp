#include "trees/bracket_token.h"

namespace transformer {

BracketToken read_bracket_token(std::string_view token) {
  const bool is_bracket =
      token.size() >= 2 && (token[0] == '(' || token[0] == ')') && token.find_first_of("()", 1) == token.npos;
  if (!is_bracket) return {};
  return {token[0] == '(' ? BracketToken::Kind::open : BracketToken::Kind::close, std::string(token.substr(1))};
}

std::string to_string(const BracketToken& token) {
  if (token.kind == BracketToken::Kind::word) return std::string(kWordToken);
  return (token.kind == BracketToken::Kind::open ? "(" : ")") + token.label;
}

}  // namespace transformer
