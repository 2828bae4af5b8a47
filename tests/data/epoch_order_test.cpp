#include "data/epoch_order.h"

#include <map>
#include <vector>

#include "catch.h"

namespace transformer {
namespace {

/// How often the epoch contains each pair.
std::map<int64_t, int> counts(const EpochOrder& order) {
  std::map<int64_t, int> counts;
  for (int64_t i = 0; i < order.size(); ++i) ++counts[order(i)];
  return counts;
}

}  // namespace

TEST_CASE("an epoch of one part with weight 1 is a random permutation of the corpus") {
  const EpochOrder order({{0, 1000}}, 7);
  const RandomPermutation permutation(1000, 7);
  REQUIRE(order.size() == 1000);
  for (int64_t i = 0; i < 1000; ++i) CHECK(order(i) == permutation(i));
}

TEST_CASE("an epoch contains each part's pairs as often as its weight says") {
  const EpochOrder order({{0, 100, 1}, {100, 40, 2.25}, {140, 50, 0}, {190, 10, 0.5}}, 1);
  CHECK(order.size() == 100 + 90 + 5);
  CHECK(num_epoch_pairs({{0, 100, 1}, {100, 40, 2.25}}) == 100 + 90);
  auto found = counts(order);
  int thrice = 0, halves = 0;
  for (int64_t pair = 0; pair < 200; ++pair) {
    INFO("pair " << pair);
    if (pair < 100) CHECK(found[pair] == 1);
    if (pair >= 100 && pair < 140) CHECK((found[pair] == 2 || found[pair] == 3));
    if (pair >= 140 && pair < 190) CHECK(found[pair] == 0);
    if (pair >= 190) CHECK(found[pair] <= 1);
    if (found[pair] == 3) ++thrice;
    if (pair >= 190) halves += found[pair];
  }
  CHECK(thrice == 10);
  CHECK(halves == 5);
}

TEST_CASE("the parts are mixed, and the rest of a weight takes other pairs in each epoch") {
  const std::vector<CorpusPart> parts = {{0, 500, 1}, {500, 1000, 0.5}};
  const EpochOrder first(parts, 1), second(parts, 2);
  int from_second_part = 0;
  for (int64_t i = 0; i < 500; ++i) from_second_part += first(i) >= 500 ? 1 : 0;
  CHECK(from_second_part > 200);
  CHECK(from_second_part < 300);
  const auto one = counts(first), other = counts(second);
  int common = 0;
  for (const auto& [pair, count] : one) common += pair >= 500 && other.contains(pair) ? 1 : 0;
  CHECK(common > 150);  // half of the 500 pairs of either epoch
  CHECK(common < 350);
}

}  // namespace transformer
