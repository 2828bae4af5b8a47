#include "evaluation/score.h"

#include <fmt/core.h>

#include <cmath>

namespace transformer {
namespace {

std::string signature_of(const Metric& metric, size_t num_references, const std::optional<Resampling>& resampling) {
  const std::string drawn =
      resampling ? fmt::format("|bs:{}|seed:{}", resampling->num_samples, resampling->seed) : std::string();
  return fmt::format("nrefs:{}{}|{}", num_references, drawn, metric.settings());
}

}  // namespace

Score score_of(const Metric& metric, const std::vector<Statistics>& lines, size_t num_references,
               const std::optional<Resampling>& resampling) {
  const Statistics sums = sum_of(lines);
  Score score{metric.name(), signature_of(metric, num_references, resampling), metric.score(sums), metric.details(sums),
              std::nullopt};
  if (resampling) score.confidence = confidence_of(metric, resampled_scores(metric, lines, *resampling));
  return score;
}

Comparison compare(Metric& metric, const std::vector<NamedText>& systems, const std::vector<NamedText>& references,
                   const std::optional<Resampling>& resampling) {
  Comparison comparison{metric.name(), signature_of(metric, references.size(), resampling), {}};
  std::vector<double> baseline;
  for (const NamedText& system : systems) {
    const auto lines = corpus_statistics(metric, system, references);
    ComparedScore score{metric.score(sum_of(lines)), std::nullopt, std::nullopt};
    if (resampling) {
      const auto resampled = resampled_scores(metric, lines, *resampling);
      score.confidence = paired_confidence_of(metric, resampled);
      if (comparison.scores.empty()) {
        baseline = resampled;
      } else {
        const double difference = std::abs(comparison.scores[0].value - score.value);
        score.p_value = p_value(metric, baseline, resampled, difference);
      }
    }
    comparison.scores.push_back(score);
  }
  return comparison;
}

}  // namespace transformer
