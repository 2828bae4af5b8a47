#include "data/shard.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "catch.h"
#include "corpora.h"

namespace transformer {

TEST_CASE("shards of a step partition its pairs and have about as many tokens") {
  const FormulaCorpus corpus(100, 30, 20);
  std::vector<int64_t> pairs(60);
  std::iota(pairs.begin(), pairs.end(), int64_t{20});
  for (const int size : {1, 2, 3, 7, 100}) {
    std::multiset<int64_t> seen;
    std::vector<int64_t> tokens;
    for (int rank = 0; rank < size; ++rank) {
      int64_t sum = 0;
      for (const PairLength& pair : shard(longest_first(*corpus, pairs), rank, size)) {
        seen.insert(pair.index);
        const SentencePair words = (*corpus)[pair.index];
        sum += std::ssize(words.source) + std::ssize(words.target) + 2;
      }
      tokens.push_back(sum);
    }
    CHECK(seen == std::multiset<int64_t>(pairs.begin(), pairs.end()));
    const auto [min, max] = std::minmax_element(tokens.begin(), tokens.end());
    CHECK(*max - *min <= 42);  // one pair
  }
}

}  // namespace transformer
