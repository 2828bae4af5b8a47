#pragma once

#include <cstdint>
#include <vector>

#include "data/sentence_pairs.h"

namespace transformer {

/// Splits sentence pairs into batches of similar length with at most `max_tokens` source tokens and as many target
/// tokens each, end symbols included, and at most 65,535 pairs; a longer pair gets a batch of its own. Returns the
/// indices of the pairs in each batch. The longest pairs come first, so that a batch that does not fit into memory
/// fails at once.
std::vector<std::vector<int64_t>> batch_by_tokens(const std::vector<SentencePair>& pairs, int64_t max_tokens);
/// Splits the pairs of the corpus with these indices into batches in the same way.
std::vector<std::vector<int64_t>> batch_by_tokens(const SentencePairs& corpus, const std::vector<int64_t>& indices,
                                                  int64_t max_tokens);

}  // namespace transformer
