#pragma once

#include <torch/types.h>

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

/// A source sentence and one of its translations, in pieces, without begin symbols.
struct SourceAndOutput {
  const std::vector<TokenId>* source;  // not empty; without the end symbol
  std::vector<TokenId> output;
};

/// The weights of the last decoder layer's cross-attention at the positions that predict the output's tokens, averaged
/// over the heads and the models: for each pair fp32 [output tokens, source tokens with the end symbol], on the CPU.
std::vector<torch::Tensor> source_attention(const std::vector<Transformer>& models,
                                            const std::vector<SourceAndOutput>& pairs,
                                            const SourceAndTarget<SpecialTokens>& special_tokens);

/// Aligns each output piece with the source piece that has the largest weight in source_attention. Outputs have no end
/// symbol. An unknown output piece is aligned with an unknown source piece, if there is one. Returns a list for each
/// pair.
std::vector<std::vector<AlignedPieces>> align(const std::vector<Transformer>& models,
                                              const std::vector<SourceAndOutput>& pairs,
                                              const SourceAndTarget<SpecialTokens>& special_tokens);

}  // namespace transformer
