#pragma once

#include <cstdint>
#include <vector>

#include "text/source_and_target.h"
#include "text/special_tokens.h"

namespace transformer {

class Transformer;

/// The indices, from 0, of a source piece and of the output piece that is aligned to it.
struct AlignedPieces {
  int64_t source, output;
};

/// A source sentence and one of its translations, in pieces, without begin and end symbols.
struct SourceAndOutput {
  const std::vector<TokenId>* source;  // not empty
  std::vector<TokenId> output;
};

/// Aligns each output piece with the source piece that has the largest weight in the last decoder layer's
/// cross-attention, averaged over the heads and the models, at the position that predicts the output piece. An unknown
/// output piece is aligned with an unknown source piece, if there is one. Returns a list for each pair.
std::vector<std::vector<AlignedPieces>> align(const std::vector<Transformer>& models,
                                              const std::vector<SourceAndOutput>& pairs,
                                              const SourceAndTarget<SpecialTokens>& special_tokens);

}  // namespace transformer
