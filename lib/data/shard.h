#pragma once

#include <cstdint>
#include <vector>

#include "data/sentence_pairs.h"

namespace transformer {

/// The shard of a step's pairs that rank `rank` of `size` ranks takes, as indices of the corpus, longest pair first.
/// The shards partition the pairs and have about the same number of tokens.
std::vector<int64_t> shard(const SentencePairs& corpus, const std::vector<int64_t>& pairs, int rank, int size);

}  // namespace transformer
