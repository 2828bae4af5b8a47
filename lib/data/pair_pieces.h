#pragma once

#include <span>

#include "text/special_tokens.h"

namespace transformer {

/// The pieces of a sentence pair, without the tag of its corpus.
struct PairPieces {
  std::span<const TokenId> source, target;
};

}  // namespace transformer
