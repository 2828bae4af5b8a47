#include "data/batch_by_tokens.h"

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

}  // namespace transformer
