#include "data/shard.h"

#include <algorithm>

#include "data/pair_length.h"

namespace transformer {

std::vector<int64_t> shard(const SentencePairs& corpus, const std::vector<int64_t>& pairs, int rank, int size) {
  // Greedy partition: the pairs, longest first, each go to the rank with the fewest tokens so far.
  std::vector<int64_t> tokens(static_cast<size_t>(size), 0), own;
  for (const PairLength& pair : longest_first(corpus, pairs)) {
    const auto fewest = std::min_element(tokens.begin(), tokens.end());
    *fewest += pair.source_tokens + pair.target_tokens;
    if (fewest - tokens.begin() == rank) own.push_back(pair.index);
  }
  return own;
}

}  // namespace transformer
