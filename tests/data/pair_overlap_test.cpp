#include "data/pair_overlap.h"

#include "catch.h"

namespace transformer {
namespace {

const std::vector<TokenId> kCat = {4, 5}, kDog = {6}, kKatze = {7}, kHund = {8, 9}, kNothing = {};

}  // namespace

TEST_CASE("pair overlap counts the pairs of each text that the training text or another text has") {
  PairOverlap overlap(std::vector<ParallelFiles>{{"a.en", "a.de"}, {"b.en", "b.de"}});
  overlap.add_pair(0, {kCat, kKatze});
  overlap.add_pair(0, {kCat, kKatze});
  overlap.add_pair(0, {kDog, kHund});
  overlap.add_pair(0, {kNothing, kHund});
  overlap.add_pair(1, {kDog, kHund});
  overlap.add_training_pair({kCat, kHund});
  CHECK(overlap.warnings() ==
        std::vector<std::string>{"b.en, b.de: 1 of 1 pairs are in a.en, a.de, too, so that scores on them say little "
                                 "about other text; remove them from one of the two"});
  overlap.add_training_pair({kCat, kKatze});
  overlap.add_training_pair({kCat, kKatze});
  REQUIRE(overlap.warnings().size() == 2);
  CHECK_THAT(overlap.warnings()[0], Catch::StartsWith("a.en, a.de: 2 of 3 pairs are in the training text, too"));
}

TEST_CASE("pair overlap tolerates one pair in a hundred, and knows where a side ends") {
  PairOverlap overlap(std::vector<ParallelFiles>{{"a.en", "a.de"}});
  for (TokenId i = 0; i < 100; ++i) {
    const std::vector<TokenId> source = {4, 10 + i}, target = {5};
    overlap.add_pair(0, {source, target});
  }
  const std::vector<TokenId> source = {4}, target = {10, 5}, whole = {4, 10}, rest = {5};
  overlap.add_training_pair({source, target});
  overlap.add_training_pair({whole, rest});
  CHECK(overlap.warnings().empty());
  overlap.add_pair(0, {source, rest});
  overlap.add_training_pair({source, rest});
  CHECK(overlap.warnings().size() == 1);
}

}  // namespace transformer
