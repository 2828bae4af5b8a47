#include "data/batch_by_tokens.h"

#include <algorithm>

#include "data/pair_length.h"

namespace transformer {
namespace {

constexpr size_t kMaxPairs = 65535;  // attention on a GPU takes no more sequences

/// Splits pairs, longest first, into batches.
std::vector<std::vector<int64_t>> split(const std::vector<PairLength>& pairs, int64_t max_tokens) {
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

}  // namespace

std::vector<std::vector<int64_t>> batch_by_tokens(const std::vector<SentencePair>& pairs, int64_t max_tokens) {
  std::vector<PairLength> lengths;
  for (const SentencePair& pair : pairs) lengths.emplace_back(pair, std::ssize(lengths));
  std::sort(lengths.begin(), lengths.end());
  return split(lengths, max_tokens);
}

std::vector<std::vector<int64_t>> batch_by_tokens(const SentencePairs& corpus, const std::vector<int64_t>& indices,
                                                  int64_t max_tokens) {
  return split(longest_first(corpus, indices), max_tokens);
}

}  // namespace transformer
