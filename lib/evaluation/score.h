#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/bootstrap.h"
#include "evaluation/metric.h"

namespace transformer {

/// The score of one text, and the further figures that are printed with it.
struct Score {
  std::string name;
  std::string signature;  // sacreBLEU's, which tells how a score was computed: "nrefs:1|case:mixed|...|version:2.x.y"
  double value = 0;
  std::string details;
  std::optional<Confidence> confidence;
};

/// The score from the statistics of all lines, with a confidence interval if `resampling` is given.
Score score_of(const Metric& metric, const std::vector<Statistics>& lines, size_t num_references,
               const std::optional<Resampling>& resampling = std::nullopt);

/// The score of a system in a comparison.
struct ComparedScore {
  double value = 0;
  std::optional<Confidence> confidence;
  /// Empty for the baseline.
  std::optional<double> p_value;
};

/// The scores of several systems in one metric.
struct Comparison {
  std::string metric, signature;
  std::vector<ComparedScore> scores;
};

/// Scores each system. With `resampling`, it also does a paired bootstrap test of each system against the first.
Comparison compare(Metric& metric, const std::vector<NamedText>& systems, const std::vector<NamedText>& references,
                   const std::optional<Resampling>& resampling = std::nullopt);

}  // namespace transformer
