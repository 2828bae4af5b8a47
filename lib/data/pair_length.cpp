#include "data/pair_length.h"

#include <algorithm>
#include <tuple>

namespace transformer {

bool is_longer(const SentencePair& a, int64_t index_a, const SentencePair& b, int64_t index_b) {
  const auto key = [](const SentencePair& pair, int64_t index) {
    return std::make_tuple(-target_tokens(pair), -source_tokens(pair), index);
  };
  return key(a, index_a) < key(b, index_b);
}

std::vector<int64_t> longest_pairs(const Corpus& corpus, int64_t count) {
  const auto longer = [&](int64_t a, int64_t b) { return is_longer(corpus[a], a, corpus[b], b); };
  std::vector<int64_t> longest;  // a heap with its shortest pair in front
  for (int64_t pair = 0; pair < corpus.size(); ++pair) {
    if (std::ssize(longest) == count) {
      if (!longer(pair, longest.front())) continue;
      std::pop_heap(longest.begin(), longest.end(), longer);
      longest.pop_back();
    }
    longest.push_back(pair);
    std::push_heap(longest.begin(), longest.end(), longer);
  }
  std::sort_heap(longest.begin(), longest.end(), longer);
  return longest;
}

}  // namespace transformer
