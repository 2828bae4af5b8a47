#include "evaluation/ter.h"

#include <fmt/ranges.h>

#include "catch.h"
#include "evaluation/characters.h"
#include "golden/evaluation/metrics.h"

namespace transformer {
namespace {

double edits(std::string_view hypothesis, std::string_view reference) {
  return Ter({}).statistics(hypothesis, {reference})[0];
}

TEST_CASE("TER counts insertions, deletions and substitutions of words") {
  CHECK(edits("a b c", "a b c") == 0);
  CHECK(edits("a c", "a b c") == 1);
  CHECK(edits("a b b c", "a b c") == 1);
  CHECK(edits("a x c", "a b c") == 1);
  CHECK(edits("", "a b c") == 3);
  CHECK(edits("a b c", "") == 3);
  CHECK(edits("", "") == 0);
}

TEST_CASE("TER counts the shift of a sequence of words as one edit") {
  // The example of Snover et al. (2006), section 3.2: one shift, one insertion, two substitutions.
  CHECK(edits("THIS WEEK THE SAUDIS denied information published in the new york times",
              "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times") == 4);
  CHECK(edits("c d e f a b", "a b c d e f") == 1);
  CHECK(edits("b a d c", "a b c d") == 2);
}

TEST_CASE("the edits of TER are sacreBLEU's, also where its limits decide") {
  for (const auto& segment : golden::kTerSegments) {
    INFO(segment.hypothesis << "\n" << segment.reference);
    CHECK(edits(segment.hypothesis, segment.reference) == static_cast<double>(segment.edits));
  }
}

TEST_CASE("TER takes the reference with the fewest edits, and the mean of the references' lengths") {
  Ter metric({});
  CHECK(metric.statistics("a b c", {"x", "a b c d", ""}) == Statistics{1, 5. / 3});
  CHECK(metric.score({1, 4}) == 25);
  CHECK(metric.score({3, 0}) == 100);
  CHECK(metric.score({0, 0}) == 0);
}

TEST_CASE("TER ignores case unless it is told otherwise, and separates or removes punctuation if it is told so") {
  const std::string line = "Dog's (1,000.5) \"Tail\", 3-4 漢字。";
  const auto words = [&](const TercomOptions& options) {
    const std::string text = tokenize_tercom(options, line);
    return fmt::format("{}", fmt::join(split_at_whitespace(text), " "));
  };
  CHECK(words({}) == "dog's (1,000.5) \"tail\", 3-4 漢字。");
  CHECK(words({.case_sensitive = true}) == line);
  CHECK(words({.normalized = true}) == "dog 's ( 1,000.5 ) \" tail \" , 3 - 4 漢字。");
  CHECK(words({.normalized = true, .asian_support = true}) == "dog 's ( 1,000.5 ) \" tail \" , 3 - 4 漢 字 。");
  CHECK(words({.no_punctuation = true}) == "dog's 10005 tail 3-4 漢字。");
  CHECK(words({.no_punctuation = true, .asian_support = true}) == "dog's 10005 tail 3-4 漢字");
}

}  // namespace
}  // namespace transformer
