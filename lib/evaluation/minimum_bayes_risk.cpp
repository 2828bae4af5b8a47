#include "evaluation/minimum_bayes_risk.h"

#include <map>
#include <memory>
#include <string_view>

#include "evaluation/bleu.h"
#include "evaluation/chrf.h"

namespace transformer {
namespace {

std::shared_ptr<Metric> make_metric(UtilityMetric metric) {
  if (metric == UtilityMetric::chrf) return std::make_shared<Chrf>(ChrfOptions());
  return std::make_shared<Bleu>(BleuOptions{.effective_order = true});
}

}  // namespace

std::vector<double> expected_utilities(const std::vector<std::string>& candidates, const std::vector<double>& weights,
                                       UtilityMetric utility) {
  const auto metric = make_metric(utility);
  // Equal texts, of which samples have many, are scored once.
  std::map<std::string_view, double> weight_of_text, utility_of_text;
  double total = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights.at(i);
    weight_of_text[candidates[i]] += weight;
    total += weight;
  }
  for (const auto& [candidate, own_weight] : weight_of_text) {
    double sum = 0;
    for (const auto& [reference, weight] : weight_of_text) {
      sum += weight * metric->score(metric->statistics(candidate, {reference}));
    }
    utility_of_text[candidate] = sum / total;
  }
  std::vector<double> utilities;
  for (const std::string& candidate : candidates) utilities.push_back(utility_of_text.at(candidate));
  return utilities;
}

}  // namespace transformer
