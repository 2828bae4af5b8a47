#pragma once

#include <string>
#include <vector>

#include "trees/bracket_token.h"
#include "trees/tree.h"

namespace transformer {

/// Builds a tree over exactly these words, in their order, from any sequence of tokens. It is the inverse of
/// `linearize`; other sequences are repaired:
///  - ")X" closes the innermost open bracket X and the brackets inside it. It is ignored if no bracket X is open.
///  - A word token is ignored if no word is left.
///  - Words without a token are appended to the last child of the root if it is a bracket, and otherwise to the root.
///  - Brackets without words, and opening brackets beyond kMaxTreeDepth, are ignored.
/// `tags` has a tag for each word, or is empty; then all tags are XX. Round brackets in words and tags become -LRB-
/// and -RRB-, as in the treebank. If there are no words, the root has no children.
Tree restore_tree(const std::vector<BracketToken>& tokens, const std::vector<std::string>& words,
                  const std::vector<std::string>& tags = {});

}  // namespace transformer
