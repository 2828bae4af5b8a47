#include "data/pair_length.h"

#include <algorithm>
#include <tuple>

namespace transformer {

PairLength::PairLength(const SentencePair& pair, int64_t pair_index)
    : source_tokens(transformer::source_tokens(pair)),
      target_tokens(transformer::target_tokens(pair)),
      index(pair_index) {}

bool PairLength::operator<(const PairLength& other) const {
  return std::tuple(-target_tokens, -source_tokens, index) <
         std::tuple(-other.target_tokens, -other.source_tokens, other.index);
}

std::vector<PairLength> longest_first(const SentencePairs& corpus, const std::vector<int64_t>& indices) {
  std::vector<PairLength> lengths;
  lengths.reserve(indices.size());
  for (const int64_t index : indices) lengths.emplace_back(corpus[index], index);
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

std::vector<PairLength> longest_first(const std::vector<SentencePair>& pairs) {
  std::vector<PairLength> lengths;
  lengths.reserve(pairs.size());
  for (const SentencePair& pair : pairs) lengths.emplace_back(pair, std::ssize(lengths));
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

std::vector<PairLength> longest_pairs(const Corpus& corpus, int64_t count) {
  std::vector<PairLength> longest;  // a heap with its shortest pair in front
  for (int64_t index = 0; index < corpus.size(); ++index) {
    const PairLength length(corpus[index], index);
    if (std::ssize(longest) == count) {
      if (!(length < longest.front())) continue;
      std::pop_heap(longest.begin(), longest.end());
      longest.pop_back();
    }
    longest.push_back(length);
    std::push_heap(longest.begin(), longest.end());
  }
  std::sort_heap(longest.begin(), longest.end());
  return longest;
}

}  // namespace transformer
