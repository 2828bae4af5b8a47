#pragma once

#include <vector>

#include "trees/bracket_token.h"
#include "trees/tree.h"

namespace transformer {

/// A clean tree as a sequence (§6.3, Deviation D21), in the form of Vinyals et al. (2015): "(S (NP XX XX )NP (VP XX )VP
/// )S". It is one bracket with all others inside, so the root is left out where it holds one bracket and nothing else.
/// Without words it is empty.
std::vector<BracketToken> linearize(const Tree& tree);

}  // namespace transformer
