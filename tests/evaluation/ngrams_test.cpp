#include "evaluation/ngrams.h"

#include "catch.h"

namespace transformer {
namespace {

TEST_CASE("n-grams are counted once for each position where they can begin") {
  const Ngrams ngrams({7, 8, 7}, 4);
  CHECK(ngrams.count(1) == 3);
  CHECK(ngrams.count(3) == 1);
  CHECK(ngrams.count(4) == 0);
  CHECK(Ngrams({}, 4).count(1) == 0);
}

TEST_CASE("matches of an n-gram are clipped to its maximum count in one reference") {
  const Ngrams hypothesis({1, 2, 1, 2, 1, 300}, 2);
  const std::vector<Ngrams> references = {Ngrams({1, 1, 2}, 2), Ngrams({300, 1, 2, 1, 2}, 2)};
  CHECK(count_matches(hypothesis, references, 1) == 2 + 2 + 1);
  CHECK(count_matches(hypothesis, references, 2) == 2 + 1);
  CHECK(count_matches(hypothesis, {references.data(), 1}, 2) == 1);
}

TEST_CASE("equal words have equal numbers") {
  WordNumbers numbers;
  const auto first = numbers.of({"a", "b", "a"}), second = numbers.of({"b", "c"});
  CHECK((first[0] == first[2] && first[0] != first[1]));
  CHECK((second[0] == first[1] && second[1] != first[0] && second[1] != first[1]));
}

}  // namespace
}  // namespace transformer
