#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "evaluation/metric.h"

namespace transformer {

/// The metrics of single sentences that may be a utility: chrF, and BLEU of the n-gram orders that a sentence has.
enum class UtilityMetric { chrf, bleu };

template <>
struct EnumNames<UtilityMetric> {
  static constexpr std::array names = {"chrf", "bleu"};
};

std::shared_ptr<Metric> make_metric(UtilityMetric metric);

/// The expected utility of each candidate translation of a sentence (minimum Bayes risk decoding: Kumar and Byrne,
/// 2004; Eikema and Aziz, 2020): the mean of its score in the metric with each candidate as the reference, weighted by
/// the probabilities of the references. A candidate counts as often as the list has it, as its own reference, too.
/// `weights` need not sum to 1; empty: all references weigh the same.
std::vector<double> expected_utilities(const std::vector<std::string>& candidates, const std::vector<double>& weights,
                                       Metric& metric);

}  // namespace transformer
