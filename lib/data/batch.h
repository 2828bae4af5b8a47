#pragma once

#include <torch/types.h>

#include <vector>

#include "data/sentence_pairs.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// The token ids of sentence pairs as the model takes them (Deviation D6).
struct Batch {
  /// int64 [source positions]; each sequence ends with the end symbol, unless the model has none in sources.
  PackedSequence source;
  PackedSequence target_in;  // int64 [target positions]; each sequence starts with the decoder's start symbol
  torch::Tensor target_out;  // int64 [target positions]: target_in shifted by one, with the end symbol

  int64_t num_target_tokens() const { return target_out.size(0); }
  Batch to(torch::Device device) const;
};

/// A batch of all pairs, in their order, with these special symbols.
Batch make_batch(const std::vector<SentencePair>& pairs, const SourceAndTarget<SpecialTokens>& special_tokens);
/// A batch of the pairs with these indices, in this order.
Batch make_batch(const std::vector<SentencePair>& pairs, const std::vector<int64_t>& indices,
                 const SourceAndTarget<SpecialTokens>& special_tokens);
/// A batch of the corpus's pairs with these indices, in this order.
Batch make_batch(const SentencePairs& corpus, const std::vector<int64_t>& pairs);

/// Packs source sentences, given as pieces, each followed by the end symbol of the source if the model has one there.
PackedSequence make_sources(const std::vector<std::vector<TokenId>>& sentences, const SpecialTokens& special_tokens);

}  // namespace transformer
