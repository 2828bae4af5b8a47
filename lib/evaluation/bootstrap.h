#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/metric.h"

namespace transformer {

/// How often and with which random numbers a corpus is drawn anew.
struct Resampling {
  int64_t num_samples = 1000;
  uint64_t seed = 12345;
};

/// Bootstrap (Koehn, 2004): the scores of corpora made of as many lines, drawn at random with replacement. The same
/// resampling draws the same lines from every system's corpus.
std::vector<double> resampled_scores(const Metric& metric, const std::vector<Statistics>& lines,
                                     const Resampling& resampling);

/// The mean of resampled scores, and half the width of the interval that holds 95 % of them.
struct Confidence {
  double mean = 0, interval = 0;
};

/// As sacreBLEU gives it for one system: the exact mean.
Confidence confidence_of(const Metric& metric, const std::vector<double>& scores);

/// As sacreBLEU gives it where systems are compared: the mean is NumPy's, with NumPy's rounding.
Confidence paired_confidence_of(const Metric& metric, const std::vector<double>& scores);

/// The probability of a difference of the two systems' scores as large as `difference` or larger by chance alone;
/// `baseline` and `system` are their scores on the same resamplings.
double p_value(const Metric& metric, const std::vector<double>& baseline, const std::vector<double>& system,
               double difference);

}  // namespace transformer
