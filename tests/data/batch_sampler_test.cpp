#include "data/batch_sampler.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "catch.h"
#include "corpora.h"

namespace transformer {

TEST_CASE("sampler draws every pair once in an epoch") {
  const FormulaCorpus corpus(1000, 50, 20);
  BatchSampler sampler(*corpus, 400, 1);
  std::vector<int64_t> drawn;
  while (sampler.position().epoch == 0) {
    for (const int64_t pair : sampler.next()) drawn.push_back(pair);
  }
  REQUIRE(drawn.size() >= 1000);
  CHECK(drawn.size() < 1000 + 100);  // the last step reaches into the next epoch
  CHECK(std::set<int64_t>(drawn.begin(), drawn.begin() + 1000).size() == 1000);
}

TEST_CASE("sampler draws every pair once in each of several epochs, whatever the sizes of corpus and steps") {
  const int64_t pairs = GENERATE(1, 2, 63, 1000, 20011);
  const int64_t batch_tokens = GENERATE(1, 50, 777, 1000000);
  const uint64_t seed = GENERATE(1, 123456789);
  if (pairs > 1000 && batch_tokens == 1) return;
  const FormulaCorpus corpus(pairs, 50, 20);
  BatchSampler sampler(*corpus, batch_tokens, seed);
  std::vector<int64_t> drawn;
  while (std::ssize(drawn) < 3 * pairs) {
    for (const int64_t pair : sampler.next()) drawn.push_back(pair);
  }
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto begin = drawn.begin() + epoch * pairs;
    const std::set<int64_t> of_epoch(begin, begin + pairs);
    CHECK(std::ssize(of_epoch) == pairs);
    CHECK(*of_epoch.rbegin() == pairs - 1);
  }
}

TEST_CASE("sampler fills a step's tokens on both sides and never exceeds them") {
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

TEST_CASE("sampler's steps depend on the seed, and continue from any position") {
  const FormulaCorpus corpus(500, 50, 10);
  BatchSampler a(*corpus, 300, 1), b(*corpus, 300, 1), other(*corpus, 300, 2);
  CHECK(a.next() == b.next());
  CHECK(a.next() != other.next());
  for (int i = 0; i < 30; ++i) a.next();  // beyond the first epoch
  const SamplerPosition position = a.position();
  const auto step = a.next();
  BatchSampler resumed(*corpus, 300, 1, position);
  CHECK(resumed.epochs() > 1);
  CHECK(resumed.next() == step);
  CHECK(resumed.next() == a.next());
}

TEST_CASE("sampler refuses a position that its corpus does not have") {
  const FormulaCorpus corpus(500, 50, 10);
  const auto position = GENERATE(SamplerPosition{0, 1000000, 0}, SamplerPosition{0, -1, 0}, SamplerPosition{0, 0, -1},
                                 SamplerPosition{0, 0, 1000000}, SamplerPosition{-1, 0, 0});
  CHECK_THROWS_WITH(BatchSampler(*corpus, 300, 1, position), Catch::Contains("the position in the training corpus"));
}

TEST_CASE("sampler draws the pairs of each part of the corpus as often as its weight says") {
  const TemporaryDirectory directory;
  const std::string path = directory / "corpus.bin";
  CorpusWriter writer(path, 50);
  const std::vector<TokenId> ids(5, 4);
  for (int64_t i = 0; i < 900; ++i) writer.add({ids, ids, i + 1});
  writer.finish();
  const Corpus corpus(path, {{0, 300, 3}, {300, 600, 0.5}});
  BatchSampler sampler(corpus, 240, 1);
  std::vector<int> drawn(900);
  while (sampler.position().epoch < 2) {
    for (const int64_t pair : sampler.next()) ++drawn[static_cast<size_t>(pair)];
  }
  const double first = std::accumulate(drawn.begin(), drawn.begin() + 300, 0.0) / 300;
  const double second = std::accumulate(drawn.begin() + 300, drawn.end(), 0.0) / 600;
  CHECK(first == Approx(6).epsilon(0.05));
  CHECK(second == Approx(1).epsilon(0.1));
  CHECK_THROWS_WITH(Corpus(path, {{0, 300, 3}, {300, 500, 0.5}}), Catch::Contains("another number of pairs"));
}

TEST_CASE("sampler counts epochs in fractions") {
  const FormulaCorpus corpus(1000, 50, 20);
  BatchSampler sampler(*corpus, 400, 1);
  CHECK(sampler.epochs() == 0);
  size_t drawn = 0;
  while (sampler.position().epoch < 2) {
    CHECK(sampler.epochs() == Approx(static_cast<double>(drawn) / 1000).margin(0.15));  // buckets are of unequal size
    drawn += sampler.next().size();
  }
  CHECK(sampler.epochs() == Approx(2).margin(0.05));
}

TEST_CASE("sampler works with a corpus smaller than a step") {
  const FormulaCorpus corpus(3, 50, 5);
  BatchSampler sampler(*corpus, 25000, 1);
  CHECK(sampler.next().size() == 24);  // a bucket is the whole corpus, and a step takes eight
}

TEST_CASE("sampler takes the buckets of a pool in random order") {
  const FormulaCorpus corpus(5000, 50, 20);
  BatchSampler sampler(*corpus, 800, 1);
  std::vector<double> lengths;  // mean target length of each step
  for (int step = 0; step < 40; ++step) {
    const auto pairs = sampler.next();
    double tokens = 0;
    for (const int64_t pair : pairs) tokens += static_cast<double>((*corpus)[pair].target.size());
    lengths.push_back(tokens / static_cast<double>(pairs.size()));
  }
  CHECK_FALSE(std::is_sorted(lengths.rbegin(), lengths.rend()));
}

TEST_CASE("sampler shuffles each epoch differently") {
  const FormulaCorpus corpus(1000, 50, 20);
  BatchSampler sampler(*corpus, 400, 1);
  std::vector<int64_t> drawn;
  while (drawn.size() < 2000) {
    for (const int64_t pair : sampler.next()) drawn.push_back(pair);
  }
  CHECK_FALSE(std::equal(drawn.begin(), drawn.begin() + 1000, drawn.begin() + 1000));
}

}  // namespace transformer
