#include "data/shard.h"

#include <algorithm>

#include "data/pair_length.h"

namespace transformer {

std::vector<int64_t> shard(const SentencePairs& corpus, const std::vector<int64_t>& pairs, int rank, int size) {
  std::vector<int64_t> order = pairs;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return is_longer(corpus[a], a, corpus[b], b); });
  // Greedy partition: the pairs, longest first, each go to the rank with the fewest tokens so far.
  std::vector<int64_t> tokens(static_cast<size_t>(size), 0), own;
  for (const int64_t index : order) {
    const auto fewest = std::min_element(tokens.begin(), tokens.end());
    *fewest += source_tokens(corpus[index]) + target_tokens(corpus[index]);
    if (fewest - tokens.begin() == rank) own.push_back(index);
  }
  return own;
}

}  // namespace transformer
