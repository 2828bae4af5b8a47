#pragma once

#include <cstdint>
#include <vector>

#include "data/pair_length.h"

namespace transformer {

/// Splits sentence pairs, sorted by `longest_first`, into batches of similar length with at most `max_tokens` source
/// tokens and as many target tokens each, end symbols included, and at most 65,535 pairs; a longer pair gets a batch of
/// its own. Returns the indices of the pairs in each batch. The longest pairs come first, so that a batch that does not
/// fit into memory fails at once.
std::vector<std::vector<int64_t>> batch_by_tokens(const std::vector<PairLength>& pairs, int64_t max_tokens);

/// As batch_by_tokens, but with batches of nearly the same number of tokens, so that threads which compute one each end
/// at the same time. Their number is a multiple of `multiple`, unless the pairs are too few or too unequal.
std::vector<std::vector<int64_t>> batch_evenly(const std::vector<PairLength>& pairs, int64_t max_tokens,
                                               int64_t multiple);

}  // namespace transformer
