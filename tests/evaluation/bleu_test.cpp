#include "evaluation/bleu.h"

#include <cmath>

#include "base/error.h"
#include "catch.h"
#include "evaluation/score_format.h"
#include "golden/evaluation/bleu.h"

namespace transformer {
namespace {

using Catch::Matchers::Equals;
using Counts = std::array<int64_t, kMaxNgramOrder>;
using Lines = std::vector<std::string>;

BleuScore score(const Lines& hypotheses, const Lines& reference) {
  return corpus_bleu(hypotheses, {{"reference", reference}});
}

/// Equal up to the last bits of exp and log, which differ between C libraries.
Approx close_to(double expected) { return Approx(expected).epsilon(1e-12); }

TEST_CASE("BLEU of the reference itself is 100") {
  const BleuScore bleu = score({"a b c d e"}, {"a b c d e"});
  CHECK(bleu.score == close_to(100));
  CHECK(bleu.counts == Counts{5, 4, 3, 2});
  CHECK(bleu.totals == Counts{5, 4, 3, 2});
}

TEST_CASE("BLEU clips a word's count to its maximum in any one reference") {
  // Example 2 of Papineni et al. (2002): "the" is twice in the first reference, once in the second.
  const BleuScore bleu = corpus_bleu({"the the the the the the the"},
                                     {{"one", {"the cat is on the mat"}}, {"two", {"there is a cat on the mat"}}});
  CHECK(bleu.counts == Counts{2, 0, 0, 0});
  CHECK(bleu.totals == Counts{7, 6, 5, 4});
  CHECK(bleu.precisions[0] == close_to(200. / 7));
}

TEST_CASE("BLEU is the geometric mean of the four precisions") {
  const BleuScore bleu = score({"a b c d x"}, {"a b c d y"});
  CHECK(bleu.counts == Counts{4, 3, 2, 1});
  CHECK(bleu.totals == Counts{5, 4, 3, 2});
  CHECK(bleu.score == close_to(100 * std::pow(4. / 5 * 3 / 4 * 2 / 3 * 1 / 2, 0.25)));
}

TEST_CASE("BLEU penalizes a hypothesis that is too short, not one that is too long") {
  const BleuScore shorter = score({"a b c d"}, {"a b c d e"});
  CHECK(shorter.brevity_penalty == close_to(std::exp(-0.25)));
  CHECK(shorter.ratio == close_to(0.8));
  CHECK(shorter.score == close_to(100 * std::exp(-0.25)));

  const BleuScore longer = score({"a b c d e"}, {"a b c d"});
  CHECK(longer.brevity_penalty == 1);
  CHECK(longer.ratio == close_to(1.25));
}

TEST_CASE("BLEU with exp smoothing halves the count of each further order without a match") {
  const BleuScore bleu = score({"a b x y"}, {"a b c d"});
  CHECK(bleu.counts == Counts{2, 1, 0, 0});
  CHECK(bleu.precisions[0] == close_to(50));
  CHECK(bleu.precisions[1] == close_to(100. / 3));
  CHECK(bleu.precisions[2] == close_to(100 * 0.5 / 2));
  CHECK(bleu.precisions[3] == close_to(100 * 0.25 / 1));
}

TEST_CASE("BLEU is 0 if no word matches or no sentence has four words") {
  CHECK(score({"a b c d e"}, {"f g h i j"}).score == 0);
  CHECK(score({"a b c", "d"}, {"a b c", "d"}).score == 0);
  CHECK(score({""}, {"a b c d"}).score == 0);
  CHECK(score({""}, {"a b c d"}).brevity_penalty == 0);
  CHECK(score({""}, {""}).score == 0);
}

TEST_CASE("BLEU sums counts over the corpus and does not average sentences") {
  const BleuScore bleu = score({"a b c d", "x"}, {"a b c d", "y"});
  CHECK(bleu.counts == Counts{4, 3, 2, 1});
  CHECK(bleu.totals == Counts{5, 3, 2, 1});
  CHECK(bleu.score == close_to(100 * std::pow(0.8, 0.25)));
}

TEST_CASE("BLEU measures brevity against the closest reference length, or the shorter of two equally close ones") {
  const Lines hypothesis = {"a b c d"};
  const NamedText two{"two", {"a b"}}, five{"five", {"a b c d e"}}, six{"six", {"a b c d e f"}};
  CHECK(corpus_bleu(hypothesis, {two, five}).reference_length == 5);
  CHECK(corpus_bleu(hypothesis, {five, two}).reference_length == 5);
  CHECK(corpus_bleu(hypothesis, {two, six}).reference_length == 2);
  CHECK(corpus_bleu(hypothesis, {six, two}).reference_length == 2);
}

TEST_CASE("BLEU keeps case and strips lines before it tokenizes them") {
  CHECK(score({"A b c d"}, {"a b c d"}).counts[0] == 3);
  // Without stripping, "-\n" would be removed.
  CHECK(score({"a b c d-\n"}, {"a b c d-"}).counts[0] == 4);
}

TEST_CASE("BLEU equals sacreBLEU in every figure and every character") {
  REQUIRE(golden::kSacrebleuVersion == kSacrebleuVersion);
  for (const golden::ScoredCorpus& expected : golden::kScoredCorpora) {
    INFO(expected.name);
    std::vector<NamedText> references;
    for (const Lines& lines : expected.references) references.push_back({"reference", lines});
    const BleuScore bleu = corpus_bleu(expected.hypotheses, references);
    CHECK(bleu.score == close_to(expected.score));
    CHECK(bleu.brevity_penalty == close_to(expected.brevity_penalty));
    CHECK(bleu.ratio == expected.ratio);
    CHECK(bleu.precisions == expected.precisions);
    CHECK(bleu.hypothesis_length == expected.hypothesis_length);
    CHECK(bleu.reference_length == expected.reference_length);
    CHECK(bleu.counts == expected.counts);
    CHECK(bleu.totals == expected.totals);
    Bleu metric({});
    const auto lines = corpus_statistics(metric, {"hypothesis", expected.hypotheses}, references);
    const Score printed = score_of(metric, lines, references.size());
    CHECK(format_text({printed}, expected.width) == expected.text);
    CHECK(format_json({printed}, expected.width) == expected.json);
  }
}

TEST_CASE("BLEU supports each smoothing method") {
  // Three of four words match, one of three bigrams, nothing longer.
  const auto precisions = [](Smoothing smoothing, std::optional<double> value) {
    BleuOptions options;
    options.smoothing = smoothing;
    options.smooth_value = value;
    return corpus_bleu({"a b x c"}, {{"reference", {"a b c y"}}}, options).precisions;
  };
  CHECK(precisions(Smoothing::none, {})[2] == 0);
  CHECK(precisions(Smoothing::floor, {})[2] == close_to(100 * 0.1 / 2));
  CHECK(precisions(Smoothing::floor, 0.5)[3] == close_to(100 * 0.5 / 1));
  CHECK(precisions(Smoothing::add_k, {})[0] == close_to(75));
  CHECK(precisions(Smoothing::add_k, {})[1] == close_to(100. * 2 / 4));
  CHECK(precisions(Smoothing::add_k, 2)[3] == close_to(100. * 2 / 3));
}

TEST_CASE("BLEU with effective order ignores orders for which a short sentence has no n-grams") {
  BleuOptions options;
  options.effective_order = true;
  CHECK(corpus_bleu({"a b"}, {{"reference", {"a b"}}}, options).score == close_to(100));
}

TEST_CASE("BLEU of the paper splits compounds and does not smooth") {
  const NamedText reference{"reference", {"Der U-Bahn-Fahrer sagt „ja“."}};
  const BleuScore bleu = corpus_bleu({"Der U-Bahn-Fahrer sagt „ja”."}, {reference}, paper_bleu_options());
  // Der U ##AT##-##AT## Bahn ##AT##-##AT## Fahrer sagt „ ja " .
  CHECK(bleu.hypothesis_length == 11);
  CHECK(bleu.score == close_to(100));
  CHECK(corpus_bleu({"Der Fahrer"}, {reference}, paper_bleu_options()).score == 0);
  CHECK(Bleu(paper_bleu_options()).settings() == "case:mixed|eff:no|tok:moses-de-atat|smooth:none");
}

TEST_CASE("BLEU rejects texts of different length and names the file") {
  CHECK_THROWS_WITH(
      corpus_bleu({"a", "b", "c"}, {{"one.txt", {"a", "b", "c"}}, {"ref.txt", {"a"}}}),
      Equals("hypothesis has 3 lines but ref.txt has 1; line n of both must belong to the same sentence"));
  CHECK_THROWS_WITH(score({"a"}, {"a", "b"}),
                    Catch::Matchers::StartsWith("hypothesis has 1 line but reference has 2;"));
}

TEST_CASE("BLEU rejects an empty reference and names it") {
  CHECK_THROWS_WITH(corpus_bleu({"a"}, {{"one.txt", {"a"}}, {"two.txt", {}}}),
                    Equals("two.txt: has no lines; give a reference with one line for each sentence"));
}

TEST_CASE("BLEU rejects an empty corpus") {
  CHECK_THROWS_AS(score({}, {}), Error);
  CHECK_THROWS_AS(corpus_bleu({"a"}, {}), Error);
}

}  // namespace
}  // namespace transformer
