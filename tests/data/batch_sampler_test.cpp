#include "data/batch_sampler.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "catch.h"
#include "corpora.h"
#include "data/random_permutation.h"

namespace transformer {

TEST_CASE("random permutation has every number once, and another order for another seed") {
  for (const int64_t size : {1, 2, 3, 17, 1000}) {
    std::set<int64_t> seen;
    const RandomPermutation order(size, 5);
    for (int64_t i = 0; i < size; ++i) seen.insert(order(i));
    CHECK(static_cast<int64_t>(seen.size()) == size);
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == size - 1);
  }
  const RandomPermutation a(1000, 5), b(1000, 6);
  int64_t same = 0, in_place = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    same += a(i) == b(i) ? 1 : 0;
    in_place += a(i) == i ? 1 : 0;
  }
  CHECK(same < 20);
  CHECK(in_place < 20);
}

TEST_CASE("sampler takes every pair once in an epoch") {
  const FormulaCorpus corpus(1000, 50, 20);
  BatchSampler sampler(*corpus, 400, 1);
  std::multiset<int64_t> seen;
  while (sampler.position().epoch == 0) {
    for (const int64_t pair : sampler.next()) seen.insert(pair);
  }
  for (int64_t pair = 0; pair < 1000; ++pair)
    CHECK(seen.count(pair) >= 1);  // the last step reaches into the next epoch
  CHECK(seen.size() < 1000 + 100);
}

TEST_CASE("sampler fills a step's tokens on both sides and never passes them") {
  const FormulaCorpus corpus(5000, 50, 20);
  BatchSampler sampler(*corpus, 800, 1);
  int64_t total = 0;
  static constexpr int64_t kSteps = 50;
  for (int64_t step = 0; step < kSteps; ++step) {
    int64_t source = 0, target = 0;
    for (const int64_t pair : sampler.next()) {
      source += static_cast<int64_t>((*corpus)[pair].source.size()) + 1;
      target += static_cast<int64_t>((*corpus)[pair].target.size()) + 1;
    }
    CHECK(source <= 800);
    CHECK(target <= 800);
    total += std::max(source, target);
  }
  CHECK(total > kSteps * 800 * 6 / 10);
}

TEST_CASE("sampler's steps follow from the seed, and from any position on") {
  const FormulaCorpus corpus(500, 50, 10);
  BatchSampler a(*corpus, 300, 1), b(*corpus, 300, 1), other(*corpus, 300, 2);
  CHECK(a.next() == b.next());
  CHECK(a.next() != other.next());
  for (int i = 0; i < 30; ++i) a.next();  // beyond the first epoch
  const SamplerPosition position = a.position();
  const auto step = a.next();
  b.seek(position);
  CHECK(b.next() == step);
  CHECK(b.next() == a.next());
}

TEST_CASE("sampler works with a corpus smaller than a step") {
  const FormulaCorpus corpus(3, 50, 5);
  BatchSampler sampler(*corpus, 25000, 1);
  CHECK(sampler.next().size() == 24);  // a group is the corpus; eight make a step
}

TEST_CASE("slices hold every pair once and stay within the device") {
  const FormulaCorpus corpus(200, 50, 20);
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < 200; ++i) pairs.push_back(i);
  for (const int64_t device_tokens : {1, 50, 400, 100000}) {
    std::multiset<int64_t> seen;
    for (const auto& slice : cut_into_slices(*corpus, pairs, device_tokens)) {
      seen.insert(slice.begin(), slice.end());
      int64_t source = 0, target = 0;
      for (const int64_t pair : slice) {
        source += std::ssize((*corpus)[pair].source) + 1;
        target += std::ssize((*corpus)[pair].target) + 1;
      }
      CHECK((slice.size() == 1 || std::max(source, target) <= device_tokens));
    }
    CHECK(std::vector<int64_t>(seen.begin(), seen.end()) == pairs);
  }
  CHECK(cut_into_slices(*corpus, pairs, 100000).size() == 1);
}

TEST_CASE("shares of a step make up the whole, and cost about the same") {
  const FormulaCorpus corpus(100, 30, 20);
  std::vector<int64_t> pairs(60);
  std::iota(pairs.begin(), pairs.end(), int64_t{20});
  for (const int size : {1, 2, 3, 7, 100}) {
    std::multiset<int64_t> taken;
    std::vector<int64_t> costs;
    for (int rank = 0; rank < size; ++rank) {
      int64_t cost = 0;
      for (const int64_t pair : share_of(*corpus, pairs, rank, size)) {
        taken.insert(pair);
        cost += static_cast<int64_t>((*corpus)[pair].source.size() + (*corpus)[pair].target.size()) + 2;
      }
      costs.push_back(cost);
    }
    CHECK(taken == std::multiset<int64_t>(pairs.begin(), pairs.end()));
    const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
    CHECK(*most - *least <= 42);  // one pair
  }
}

TEST_CASE("the longest pairs come longest first, no more than are asked for") {
  const FormulaCorpus corpus(100, 30, 12);
  const auto length = [&](int64_t pair) { return (*corpus)[pair].target.size(); };
  const auto some = longest_pairs(*corpus, 10);
  REQUIRE(some.size() == 10);
  CHECK(length(some[0]) == 12);
  for (size_t i = 1; i < some.size(); ++i) CHECK(length(some[i]) <= length(some[i - 1]));
  const auto all = longest_pairs(*corpus, 1000);
  CHECK(std::set<int64_t>(all.begin(), all.end()).size() == 100);
  CHECK(std::equal(some.begin(), some.end(), all.begin()));
}

}  // namespace transformer
