#pragma once

#include <string>
#include <vector>

#include "decoding/minimum_bayes_risk.h"

namespace transformer {

/// The expected utility of each candidate translation of a sentence (minimum Bayes risk decoding: Kumar and Byrne,
/// 2004; Eikema and Aziz, 2020): the mean of its score in the metric with each candidate as the reference, weighted by
/// the probabilities of the references. A candidate counts as often as the list has it, as its own reference, too.
/// `weights` need not sum to 1; empty: all references weigh the same. An ExpectedUtilities.
std::vector<double> expected_utilities(const std::vector<std::string>& candidates, const std::vector<double>& weights,
                                       UtilityMetric metric);

}  // namespace transformer
