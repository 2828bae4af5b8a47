#pragma once

#include <cstdint>

#include "text/source_and_target.h"

namespace transformer {

/// Which of the source embedding, the target embedding and the output projection are the same matrix. The initial
/// values are the paper's: all three are (§3.4).
struct TiedEmbeddings {
  bool source_and_target = true;  // needs vocabularies of the same size
  bool target_and_output = true;
};

/// The matrices of a network with a row for each piece of a vocabulary: the embeddings and the output projection.
struct EmbeddingMatrices {
  /// Those of the models that this program trains: one, or two if source and target have separate vocabularies
  /// (Deviation D22). Implicit, so that the sizes of the vocabularies stand for them.
  EmbeddingMatrices(VocabularySizes sizes)
      : EmbeddingMatrices(sizes, {.source_and_target = sizes.are_shared(), .target_and_output = true}) {}
  EmbeddingMatrices(int64_t shared_vocabulary) : EmbeddingMatrices(VocabularySizes(shared_vocabulary)) {}
  EmbeddingMatrices(VocabularySizes sizes, TiedEmbeddings tied_embeddings)
      : vocabularies(sizes), tied(tied_embeddings) {}

  /// The rows of all matrices.
  int64_t num_rows() const {
    return vocabularies.target() + (tied.source_and_target ? 0 : vocabularies.source()) +
           (tied.target_and_output ? 0 : vocabularies.target());
  }

  VocabularySizes vocabularies;
  TiedEmbeddings tied;
};

}  // namespace transformer
