#include "model/embedding_matrices.h"

#include "base/error.h"

namespace transformer {

EmbeddingMatrices::EmbeddingMatrices(const ModelConfig& config, const VocabularySizes& sizes) : vocabularies(sizes) {
  const EmbeddingTies default_ties = sizes.are_shared() ? EmbeddingTies::all : EmbeddingTies::target_and_output;
  const EmbeddingTies ties = config.tied_embeddings.value_or(default_ties);
  source_is_target = ties == EmbeddingTies::all || ties == EmbeddingTies::source_and_target;
  output_is_target = ties == EmbeddingTies::all || ties == EmbeddingTies::target_and_output;
  if (!source_is_target || sizes.source() == sizes.target()) return;
  throw Error(
      "model.tied_embeddings: {} needs vocabularies of the same size, but the source has {} pieces and the target {}; "
      "set it to target_and_output or none",
      name_of(ties), sizes.source(), sizes.target());
}

}  // namespace transformer
