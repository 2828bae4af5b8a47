#pragma once

#include <string>
#include <string_view>

#include "trees/tree.h"

namespace transformer {

/// The tag of a trace, a word that the sentence does not have.
inline constexpr std::string_view kTraceTag = "-NONE-";

/// A bracket's label without function tags, co-indices and second choices: "NP-SBJ-1" and "NP=2" are "NP", "ADVP|PRT"
/// is "ADVP".
std::string_view bare_label(std::string_view label);

/// A treebank's tree as parsers are trained and scored on (§6.3, Deviation D21): without traces and the brackets that
/// hold nothing else, with bare labels; tags stay as they are. The root is named TOP, in place of an outermost bracket
/// without a label or named TOP, ROOT or S1, or around a tree that has none. It has no children where no word is left.
Tree clean_tree(Tree tree);

}  // namespace transformer
