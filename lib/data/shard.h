#pragma once

#include <cstdint>
#include <vector>

#include "data/pair_length.h"

namespace transformer {

/// The shard of a step's pairs, sorted by `longest_first`, that rank `rank` of `size` ranks takes, in the same order.
/// The shards partition the pairs and have about the same number of tokens.
std::vector<PairLength> shard(const std::vector<PairLength>& pairs, int rank, int size);

}  // namespace transformer
