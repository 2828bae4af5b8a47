#pragma once

#include "trees/tree.h"

namespace transformer {

/// The baseline of a parser that knows nothing but that English branches to the right: a sentence S of the first word
/// and a VP with all that follow, which is made likewise, (TOP (S the (VP old (VP dog barks)))). Words and tags are
/// those of the given tree.
Tree right_branching(const Tree& tree);

}  // namespace transformer
