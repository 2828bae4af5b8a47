#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/metric.h"

namespace transformer {

/// The number of bootstrap samples of a corpus, and the seed of the random numbers.
struct Resampling {
  int64_t num_samples = 1000;
  uint64_t seed = 12345;
};

/// Bootstrap resampling (Koehn, 2004): the scores of corpora of the same size whose lines are drawn at random with
/// replacement. The same `resampling` draws the same lines for every system.
std::vector<double> resampled_scores(const Metric& metric, const std::vector<Statistics>& lines,
                                     const Resampling& resampling);

/// The mean of resampled scores, and half the width of the interval that contains 95 % of them.
struct Confidence {
  double mean = 0, half_width = 0;
};

/// As sacreBLEU computes it for one system: with the exact mean.
Confidence confidence_of(const Metric& metric, const std::vector<double>& scores);

/// As sacreBLEU computes it in a comparison of systems: the mean has NumPy's rounding errors.
Confidence paired_confidence_of(const Metric& metric, const std::vector<double>& scores);

/// The probability that the scores of two systems that are equally good differ by more than `difference`, as sacreBLEU
/// estimates it: (c + 1) / (n + 1), if in c of the n samples the absolute difference exceeds the mean of the absolute
/// differences by more than `difference`. `baseline` and `system` are their scores on the same samples.
double p_value(const Metric& metric, const std::vector<double>& baseline, const std::vector<double>& system,
               double difference);

}  // namespace transformer
