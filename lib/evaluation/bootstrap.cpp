#include "evaluation/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "evaluation/numpy_random.h"

namespace transformer {
namespace {

/// The sum in NumPy's order (pairwise summation): eight partial sums over up to 128 numbers; longer ranges are halved.
template <class Real>
Real numpy_sum(std::span<const Real> values) {
  static constexpr size_t kLanes = 8, kBlock = 128;
  if (values.size() > kBlock) {
    const size_t half = values.size() / 2 / kLanes * kLanes;
    return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
  }
  Real sum = 0;
  const size_t in_lanes = values.size() / kLanes * kLanes;
  if (in_lanes > 0) {
    std::array<Real, kLanes> lanes{};
    for (size_t i = 0; i < in_lanes; ++i) lanes[i % kLanes] += values[i];
    sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
  for (size_t i = in_lanes; i < values.size(); ++i) sum += values[i];
  return sum;
}

template <class Real>
Real numpy_mean(const std::vector<Real>& values) {
  return static_cast<Real>(static_cast<double>(numpy_sum<Real>(values)) / static_cast<double>(values.size()));
}

/// The mean, rounded only once: the rounding errors of the sum are summed separately (Neumaier, 1974).
double exact_mean(const std::vector<double>& values) {
  double sum = 0, error = 0;
  for (const double value : values) {
    const double next = sum + value;
    error += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  const auto count = static_cast<double>(values.size());
  const double quotient = sum / count;
  return quotient + (std::fma(-quotient, count, sum) + error) / count;
}

template <class Real>
Real half_width(const std::vector<Real>& sorted) {
  const size_t below = sorted.size() / 40;  // 2.5 % on each side
  return static_cast<Real>(0.5) * (sorted[sorted.size() - below - 1] - sorted[below]);
}

template <class Real>
std::vector<Real> sorted_as(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  return {scores.begin(), scores.end()};
}

template <class Real>
Confidence paired_confidence(const std::vector<double>& scores) {
  const auto sorted = sorted_as<Real>(scores);
  return {numpy_mean(sorted), half_width(sorted)};
}

template <class Real>
double compute_p_value(const std::vector<double>& baseline, const std::vector<double>& system, double difference) {
  std::vector<Real> differences;
  for (size_t i = 0; i < baseline.size(); ++i) {
    differences.push_back(std::abs(static_cast<Real>(system[i]) - static_cast<Real>(baseline[i])));
  }
  const Real mean = numpy_mean(differences);
  const auto count = std::count_if(differences.begin(), differences.end(),
                                   [&](Real sample) { return sample - mean > static_cast<Real>(difference); });
  return static_cast<double>(count + 1) / static_cast<double>(baseline.size() + 1);
}

}  // namespace

std::vector<double> resampled_scores(const Metric& metric, const std::vector<Statistics>& lines,
                                     const Resampling& resampling) {
  const size_t width = lines.at(0).size();
  std::vector<float> table;  // [lines, width]
  table.reserve(lines.size() * width);
  for (const Statistics& line : lines) table.insert(table.end(), line.begin(), line.end());

  NumpyRandom random(resampling.seed);
  std::vector<double> scores;
  std::vector<float> sums(width);
  for (int64_t sample = 0; sample < resampling.num_samples; ++sample) {
    std::fill(sums.begin(), sums.end(), 0.f);
    for (size_t i = 0; i < lines.size(); ++i) {
      const float* line = &table[random.below(static_cast<uint32_t>(lines.size())) * width];
      for (size_t k = 0; k < width; ++k) sums[k] += line[k];
    }
    scores.push_back(metric.resampled_score(sums));
  }
  return scores;
}

Confidence confidence_of(const Metric& metric, const std::vector<double>& scores) {
  const double mean = exact_mean(scores);
  if (!metric.resamples_in_single_precision()) return {mean, half_width(sorted_as<double>(scores))};
  return {static_cast<float>(mean), half_width(sorted_as<float>(scores))};
}

Confidence paired_confidence_of(const Metric& metric, const std::vector<double>& scores) {
  return metric.resamples_in_single_precision() ? paired_confidence<float>(scores) : paired_confidence<double>(scores);
}

double p_value(const Metric& metric, const std::vector<double>& baseline, const std::vector<double>& system,
               double difference) {
  return metric.resamples_in_single_precision() ? compute_p_value<float>(baseline, system, difference)
                                                : compute_p_value<double>(baseline, system, difference);
}

}  // namespace transformer
