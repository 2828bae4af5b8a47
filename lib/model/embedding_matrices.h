#pragma once

#include <cstdint>

#include "model/model_config.h"
#include "text/source_and_target.h"

namespace transformer {

/// The matrices of a network with a row for each piece of a vocabulary: source embedding, target embedding and output
/// projection, some of which are the same matrix. Which they are follows from `tied_embeddings` or, if it is null, from
/// the vocabularies: all three (§3.4), or two if source and target have separate vocabularies (Deviation D22).
struct EmbeddingMatrices {
  /// Throws Error if source and target shall have one matrix, but vocabularies of different sizes.
  EmbeddingMatrices(const ModelConfig& config, const VocabularySizes& sizes);

  /// The rows of all matrices.
  int64_t num_rows() const {
    return vocabularies.target() + (source_is_target ? 0 : vocabularies.source()) +
           (output_is_target ? 0 : vocabularies.target());
  }

  VocabularySizes vocabularies;
  bool source_is_target, output_is_target;
};

}  // namespace transformer
