#include "data/batch_by_tokens.h"

#include <algorithm>
#include <numeric>

#include "data/pair_length.h"

namespace transformer {
namespace {

constexpr size_t kMaxPairs = 65535;  // attention on a GPU takes no more sequences

/// `pair` returns the pair with an index.
template <class PairOf>
std::vector<std::vector<int64_t>> batch_indices(std::vector<int64_t> indices, const PairOf& pair, int64_t max_tokens) {
  std::sort(indices.begin(), indices.end(), [&](int64_t a, int64_t b) { return is_longer(pair(a), a, pair(b), b); });
  std::vector<std::vector<int64_t>> batches;
  int64_t source = 0, target = 0;  // tokens of the last batch
  for (const int64_t index : indices) {
    source += source_tokens(pair(index));
    target += target_tokens(pair(index));
    if (batches.empty() || std::max(source, target) > max_tokens || batches.back().size() == kMaxPairs) {
      batches.emplace_back();
      source = source_tokens(pair(index));
      target = target_tokens(pair(index));
    }
    batches.back().push_back(index);
  }
  return batches;
}

}  // namespace

std::vector<std::vector<int64_t>> batch_by_tokens(const std::vector<SentencePair>& pairs, int64_t max_tokens) {
  std::vector<int64_t> indices(pairs.size());
  std::iota(indices.begin(), indices.end(), int64_t{0});
  const auto pair = [&](int64_t index) { return pairs[static_cast<size_t>(index)]; };
  return batch_indices(std::move(indices), pair, max_tokens);
}

std::vector<std::vector<int64_t>> batch_by_tokens(const SentencePairs& corpus, const std::vector<int64_t>& indices,
                                                  int64_t max_tokens) {
  const auto pair = [&](int64_t index) { return corpus[index]; };
  return batch_indices(indices, pair, max_tokens);
}

}  // namespace transformer
