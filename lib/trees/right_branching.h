#pragma once

#include "trees/tree.h"

namespace transformer {

/// The right-branching baseline for English parsers: a sentence S of the first word and a VP, which recursively
/// contains the remaining words in the same way, as in (TOP (S the (VP old (VP dog barks)))). Words and tags are those
/// of `tree`.
Tree right_branching(const Tree& tree);

}  // namespace transformer
