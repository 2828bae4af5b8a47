#pragma once

#include <vector>

#include "trees/bracket_token.h"
#include "trees/tree.h"

namespace transformer {

/// Writes a clean tree as a sequence (§6.3, Deviation D21) in the form of Vinyals et al. (2015): "(S (NP XX XX )NP (VP
/// XX )VP )S". The sequence is one bracket that contains all others; therefore a root with exactly one child, a
/// bracket, is left out. The sequence of a tree without words is empty.
std::vector<BracketToken> linearize(const Tree& tree);

}  // namespace transformer
