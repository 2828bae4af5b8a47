#include "data/batch_by_tokens.h"

#include <ATen/ceil_div.h>

#include <algorithm>

namespace transformer {
namespace {

constexpr size_t kMaxPairs = 65535;  // attention on a GPU takes no more sequences

}  // namespace

std::vector<std::vector<int64_t>> batch_by_tokens(const std::vector<PairLength>& pairs, int64_t max_tokens) {
  std::vector<std::vector<int64_t>> batches;
  int64_t source = 0, target = 0;  // tokens of the last batch
  for (const PairLength& pair : pairs) {
    source += pair.source_tokens;
    target += pair.target_tokens;
    if (batches.empty() || std::max(source, target) > max_tokens || batches.back().size() == kMaxPairs) {
      batches.emplace_back();
      source = pair.source_tokens;
      target = pair.target_tokens;
    }
    batches.back().push_back(pair.index);
  }
  return batches;
}

std::vector<std::vector<int64_t>> batch_evenly(const std::vector<PairLength>& pairs, int64_t max_tokens,
                                               int64_t multiple) {
  const auto batches_of = [&](int64_t tokens) { return batch_by_tokens(pairs, tokens); };
  const int64_t count = at::ceil_div<int64_t>(std::ssize(batches_of(max_tokens)), multiple) * multiple;
  // The smallest batches of which there are no more than `count`.
  int64_t too_few = 0, enough = max_tokens;
  while (enough - too_few > 1) {
    const int64_t tokens = (too_few + enough) / 2;
    (std::ssize(batches_of(tokens)) <= count ? enough : too_few) = tokens;
  }
  return batches_of(enough);
}

}  // namespace transformer
