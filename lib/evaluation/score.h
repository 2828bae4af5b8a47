#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/bootstrap.h"
#include "evaluation/metric.h"

namespace transformer {

/// How a score was computed, as sacreBLEU writes it: "nrefs:1|case:mixed|...|version:2.x.y".
std::string signature_of(const Metric& metric, size_t num_references,
                         const std::optional<Resampling>& resampling = std::nullopt);

/// The score of one text, with all that is printed of it.
struct Score {
  std::string name, signature;
  double value = 0;
  std::string details;
  std::optional<Confidence> confidence;
};

/// The score of lines that were counted, with a confidence interval where they are to be resampled.
Score score_of(const Metric& metric, const std::vector<Statistics>& lines, size_t num_references,
               const std::optional<Resampling>& resampling = std::nullopt);

/// One system's score beside a baseline's.
struct ComparedScore {
  double value = 0;
  std::optional<Confidence> confidence;
  /// Not for the baseline itself.
  std::optional<double> p_value;
};

/// The scores of several systems by one metric.
struct Comparison {
  std::string metric, signature;
  std::vector<ComparedScore> scores;
};

/// Scores each system; with a resampling it is a paired bootstrap test against the first.
Comparison compare(Metric& metric, const std::vector<NamedText>& systems, const std::vector<NamedText>& references,
                   const std::optional<Resampling>& resampling = std::nullopt);

}  // namespace transformer
