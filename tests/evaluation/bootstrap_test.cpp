#include "evaluation/bootstrap.h"

#include <span>
#include <string>

#include "catch.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"

namespace transformer {
namespace {

std::vector<Statistics> lines_of(const std::vector<std::string>& hypotheses) {
  Bleu metric({});
  return corpus_statistics(metric, {"hypothesis", hypotheses}, {{"reference", {"a b c d e", "f g h i", "j k l m n"}}});
}

/// A metric whose score is the sum of the first counts.
class FirstCount : public Metric {
 public:
  std::string name() const override { return "first"; }
  std::string settings() const override { return ""; }
  Statistics statistics(std::string_view, const std::vector<std::string_view>&) override { return {}; }
  double score(const Statistics& sums) const override { return static_cast<double>(sums[0]); }
  std::string details(const Statistics&) const override { return ""; }
  double resampled_score(std::span<const float> sums) const override { return sums[0]; }
  bool resamples_in_single_precision() const override { return false; }
};

TEST_CASE("bootstrap of identical lines gives their score with an interval of 0") {
  const Bleu metric({});
  const std::vector<Statistics> lines(20, lines_of({"a b c d x", "", ""})[0]);
  const auto scores = resampled_scores(metric, lines, {});
  CHECK(scores.size() == 1000);
  const Confidence confidence = confidence_of(metric, scores);
  CHECK(confidence.mean == Approx(metric.score(sum_of(lines))).epsilon(1e-6));
  CHECK(confidence.half_width == 0);
}

TEST_CASE("bootstrap draws the same lines for every system and others with another seed") {
  // A digit for each line, so that the sum says how often each is drawn. The other system counts double.
  const FirstCount metric;
  const std::vector<Statistics> lines = {{1}, {10}, {100}, {1000}}, others = {{2, 9}, {20, 0}, {200, 5}, {2000, 1}};
  const std::vector<double> scores = resampled_scores(metric, lines, {100, 7});
  std::vector<double> doubled;
  for (const double score : scores) doubled.push_back(2 * score);
  CHECK(resampled_scores(metric, others, {100, 7}) == doubled);
  CHECK(resampled_scores(metric, lines, {100, 8}) != scores);
}

TEST_CASE("bootstrap interval leaves out 2.5 % on each side") {
  std::vector<double> scores;
  for (int i = 1000; i > 0; --i) scores.push_back(i);
  const Confidence confidence = confidence_of(Bleu({}), scores);
  CHECK(confidence.mean == 500.5);
  CHECK(confidence.half_width == 0.5 * (975 - 26));
  CHECK(paired_confidence_of(Chrf({}), scores).mean == 500.5);
}

TEST_CASE("paired test counts differences above the observed one, and its p-value is never 0") {
  const Bleu metric({});
  const std::vector<double> baseline(9, 10), system = {11, 11, 11, 11, 11, 11, 11, 11, 14};
  CHECK(p_value(metric, baseline, system, 5) == Approx(1. / 10));
  CHECK(p_value(metric, baseline, system, 2) == Approx(2. / 10));
  // In a comparison with itself no difference is above 0.
  CHECK(p_value(metric, baseline, baseline, 0) == Approx(1. / 10));
}

}  // namespace
}  // namespace transformer
