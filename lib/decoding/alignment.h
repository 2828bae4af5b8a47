#pragma once

#include <vector>

#include "model/transformer.h"

namespace transformer {

/// A source and an output, whose places count from 0.
struct AlignedPieces {
  int64_t source, output;
};

/// A source and one of its outputs, in pieces, without begin and end symbols.
struct SourceAndOutput {
  const std::vector<int32_t>* source;  // not empty
  std::vector<int32_t> output;
};

/// For each piece of each output the source piece that it attends to most, in the decoder's last layer and the mean
/// over its heads and the models: the attention of the position that gives the piece.
std::vector<std::vector<AlignedPieces>> align(std::vector<Transformer>& models,
                                              const std::vector<SourceAndOutput>& pairs);

}  // namespace transformer
