#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace transformer {

/// The metrics in which minimum Bayes risk decoding compares candidate translations of a sentence: chrF, and BLEU of
/// the n-gram orders that a sentence has.
enum class UtilityMetric { chrf, bleu };

template <>
struct EnumNames<UtilityMetric> {
  static constexpr std::array names = {"chrf", "bleu"};
};

/// Returns the expected utility of each of a sentence's candidate translations; `weights` are those of the candidates
/// as references, and are empty if all weigh the same. Any number of threads may call it.
using ExpectedUtilities = std::function<std::vector<double>(const std::vector<std::string>& candidates,
                                                            const std::vector<double>& weights, UtilityMetric metric)>;

}  // namespace transformer
