#include "data/batch_by_tokens.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "corpora.h"
#include "data/pair_length.h"

namespace transformer {

TEST_CASE("batches by tokens contain every pair once and stay within the limit") {
  const FormulaCorpus corpus(200, 50, 20);
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < 200; ++i) pairs.push_back(i);
  for (const int64_t max_tokens : {1, 50, 400, 100000}) {
    std::multiset<int64_t> seen;
    for (const auto& batch : batch_by_tokens(longest_first(*corpus, pairs), max_tokens)) {
      seen.insert(batch.begin(), batch.end());
      int64_t source = 0, target = 0;
      for (const int64_t pair : batch) {
        source += std::ssize((*corpus)[pair].source) + 1;
        target += std::ssize((*corpus)[pair].target) + 1;
      }
      CHECK((batch.size() == 1 || std::max(source, target) <= max_tokens));
    }
    CHECK(std::vector<int64_t>(seen.begin(), seen.end()) == pairs);
  }
  CHECK(batch_by_tokens(longest_first(*corpus, pairs), 100000).size() == 1);
}

TEST_CASE("batches by tokens have no more pairs than attention on a GPU takes") {
  const std::vector<TokenId> word = {4};
  const auto batches = batch_by_tokens(longest_first(std::vector<SentencePair>(65536, {word, word, 0})), 1'000'000);
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].size() == 65535);
}

TEST_CASE("batches by tokens begin with the longest pairs, and number pairs as the caller does") {
  const FormulaCorpus corpus(40, 50, 20);
  const std::vector<int64_t> indices = {31, 7, 22, 3, 15};
  std::vector<SentencePair> pairs;
  for (const int64_t index : indices) pairs.push_back((*corpus)[index]);
  const auto of_corpus = batch_by_tokens(longest_first(*corpus, indices), 1);
  const auto of_pairs = batch_by_tokens(longest_first(pairs), 1);
  REQUIRE(of_corpus.size() == indices.size());
  REQUIRE(of_pairs.size() == indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    CHECK(of_corpus[i] == std::vector<int64_t>{indices[static_cast<size_t>(of_pairs[i].front())]});
    if (i > 0)
      CHECK(target_tokens((*corpus)[of_corpus[i].front()]) <= target_tokens((*corpus)[of_corpus[i - 1].front()]));
  }
}

TEST_CASE("even batches have every pair once, a multiple in number, and nearly the same number of tokens") {
  const FormulaCorpus corpus(500, 100, 30);
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < 500; ++i) pairs.push_back(i);
  const auto lengths = longest_first(*corpus, pairs);
  const int64_t max_tokens = GENERATE(300, 700, 1500, 100000), multiple = GENERATE(1, 4);
  INFO(max_tokens << " tokens, a multiple of " << multiple);
  const auto batches = batch_evenly(lengths, max_tokens, multiple);
  CHECK(std::ssize(batches) % multiple == 0);
  const auto count = std::ssize(batch_by_tokens(lengths, max_tokens));
  CHECK(std::ssize(batches) >= count);
  CHECK(std::ssize(batches) < count + multiple);
  std::vector<int64_t> seen, tokens;
  for (const auto& batch : batches) {
    int64_t source = 0, target = 0;
    for (const int64_t pair : batch) {
      seen.push_back(pair);
      source += source_tokens((*corpus)[pair]);
      target += target_tokens((*corpus)[pair]);
    }
    tokens.push_back(std::max(source, target));
  }
  std::sort(seen.begin(), seen.end());
  CHECK(seen == pairs);
  CHECK(*std::max_element(tokens.begin(), tokens.end()) <= max_tokens);
  CHECK(static_cast<double>(*std::min_element(tokens.begin(), tokens.end())) >
        0.6 * static_cast<double>(*std::max_element(tokens.begin(), tokens.end())));
}

TEST_CASE("of fewer pairs than the multiple, each is a batch, and of none there is none") {
  const FormulaCorpus corpus(3, 100, 30);
  CHECK(batch_evenly(longest_first(*corpus, {0, 1, 2}), 1000, 4).size() == 3);
  CHECK(batch_evenly({}, 1000, 4).empty());
}

}  // namespace transformer
