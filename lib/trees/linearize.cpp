#include "trees/linearize.h"

namespace transformer {
namespace {

void append(const Tree& tree, std::vector<BracketToken>& tokens) {
  if (tree.is_word()) {
    tokens.push_back({});
    return;
  }
  tokens.push_back({BracketToken::Kind::open, tree.label});
  for (const Tree& child : tree.children) append(child, tokens);
  tokens.push_back({BracketToken::Kind::close, tree.label});
}

}  // namespace

std::vector<BracketToken> linearize(const Tree& tree) {
  std::vector<BracketToken> tokens;
  const bool one_bracket = tree.children.size() == 1 && !tree.children[0].is_word();
  if (!tree.children.empty()) append(one_bracket ? tree.children[0] : tree, tokens);
  return tokens;
}

}  // namespace transformer
