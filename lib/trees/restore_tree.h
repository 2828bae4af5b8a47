#pragma once

#include <string>
#include <vector>

#include "trees/bracket_token.h"
#include "trees/tree.h"

namespace transformer {

/// The tree that any sequence of tokens stands for, over exactly these words in their order: the inverse of
/// `linearize`, and of what no linearized tree is the nearest that is easily told.
///  - ")X" closes the innermost open bracket X and those inside it; where no X is open, it is left out.
///  - A token for a word is left out where no word is left.
///  - Words that no token stands for are put at the end of the outermost bracket (of the last where there are several).
///  - Brackets that hold no word, and openings deeper than a tree may be, are left out.
/// A word gets its tag of `tags`, which has one for each or is empty: then it is XX. Round brackets in words become
/// -LRB- and -RRB-, as in the treebank. Without words the root has no children.
Tree restore_tree(const std::vector<BracketToken>& tokens, const std::vector<std::string>& words,
                  const std::vector<std::string>& tags = {});

}  // namespace transformer
