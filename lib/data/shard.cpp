#include "data/shard.h"

#include <algorithm>

namespace transformer {

std::vector<PairLength> shard(const std::vector<PairLength>& pairs, int rank, int size) {
  // Greedy partition: the pairs, longest first, each go to the rank with the fewest tokens so far.
  std::vector<int64_t> tokens(static_cast<size_t>(size), 0);
  std::vector<PairLength> own;
  for (const PairLength& pair : pairs) {
    const auto fewest = std::min_element(tokens.begin(), tokens.end());
    *fewest += pair.source_tokens + pair.target_tokens;
    if (fewest - tokens.begin() == rank) own.push_back(pair);
  }
  return own;
}

}  // namespace transformer
