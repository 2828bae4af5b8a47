#include "evaluation/minimum_bayes_risk.h"

#include "catch.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"

namespace transformer {

TEST_CASE("an expected utility is the mean score with the candidates as references, by their weights") {
  const auto metric = GENERATE(UtilityMetric::chrf, UtilityMetric::bleu);
  const std::vector<std::string> candidates = {"the cat sat here", "the cat sat", "a dog ran off", "the cat sat"};
  const auto score = [&](size_t hypothesis, size_t reference) {
    Chrf chrf{ChrfOptions()};
    Bleu bleu{BleuOptions{.effective_order = true}};
    Metric& made = metric == UtilityMetric::chrf ? static_cast<Metric&>(chrf) : bleu;
    return made.score(made.statistics(candidates[hypothesis], {candidates[reference]}));
  };
  for (const std::vector<double>& weights : {std::vector<double>{}, {1, 0.5, 3, 0.25}}) {
    const auto utilities = expected_utilities(candidates, weights, metric);
    REQUIRE(utilities.size() == candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      double sum = 0, total = 0;
      for (size_t j = 0; j < candidates.size(); ++j) {
        const double weight = weights.empty() ? 1 : weights[j];
        sum += weight * score(i, j);
        total += weight;
      }
      CHECK(utilities[i] == Approx(sum / total));
    }
  }
  // Two equal candidates, which the first resembles, outvote the other.
  const auto utilities = expected_utilities(candidates, {}, metric);
  CHECK(utilities[1] == utilities[3]);
  CHECK(utilities[1] > utilities[2]);
}

}  // namespace transformer
