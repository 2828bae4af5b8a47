#pragma once

#include <string>
#include <string_view>

#include "trees/tree.h"

namespace transformer {

/// A bracket's label without function tags, co-indices and alternatives: "NP-SBJ-1" and "NP=2" become "NP", "ADVP|PRT"
/// becomes "ADVP".
std::string_view bare_label(std::string_view label);

/// Converts a tree of a treebank to the form on which parsers are trained and scored (§6.3, Deviation D21): removes
/// traces and brackets that contain only traces, replaces a bracket without a label by its children, and reduces labels
/// to bare labels. Tags are not changed. The root is named TOP: it replaces an outermost bracket that has no label or
/// is named TOP, ROOT or S1, and is added if there is none. It has no children if no word is left.
Tree clean_tree(Tree tree);

}  // namespace transformer
