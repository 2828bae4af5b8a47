#include "evaluation/chrf.h"

#include "catch.h"

namespace transformer {
namespace {

double score(const ChrfOptions& options, std::string_view hypothesis, const std::vector<std::string_view>& references) {
  Chrf metric(options);
  return metric.score(metric.statistics(hypothesis, references));
}

TEST_CASE("chrF is the F-score of mean precision and recall over the orders that both sides have") {
  // "abc" and "abde" share 2 of 3 and 2 of 4 characters, 1 of 2 and 1 of 3 bigrams, 0 of 1 and 0 of 2 trigrams.
  const double precision = (2. / 3 + 1. / 2 + 0) / 3, recall = (2. / 4 + 1. / 3 + 0) / 3;
  CHECK(score({}, "a bc", {"ab de"}) == Approx(100 * 5 * precision * recall / (4 * precision + recall)));
  CHECK(score({}, "a bc", {"abc"}) == 100);
  CHECK(score({}, "abc", {"xyz"}) == 0);
  CHECK(score({}, "", {"xyz"}) == 0);
}

TEST_CASE("chrF++ also counts words, with punctuation split off") {
  ChrfOptions options;
  options.char_order = 1;
  options.word_order = 2;
  Chrf metric(options);
  CHECK(metric.name() == "chrF2++");
  // "hi ) ( ja" and "hi ( no" share the words hi and (, and no bigram.
  CHECK(metric.statistics("hi) (ja", {"hi (no"}) == Statistics{6, 5, 3, 4, 3, 2, 3, 2, 0});
}

TEST_CASE("chrF uses the best reference of each line") {
  CHECK(score({}, "abc", {"xyz", "abc", "abd"}) == 100);
  Chrf metric({});
  CHECK(metric.statistics("abc", {"xbcy", "abc"})[1] == 3);
}

TEST_CASE("chrF is case-sensitive and ignores whitespace by default") {
  ChrfOptions lower, space;
  lower.lowercase = true;
  space.whitespace = true;
  CHECK(score({}, "ABC", {"abc"}) == 0);
  CHECK(score(lower, "ABC", {"abc"}) == 100);
  CHECK(score({}, "a b", {"ab"}) == 100);
  CHECK(score(space, "a b", {"ab"}) < 100);
}

}  // namespace
}  // namespace transformer
