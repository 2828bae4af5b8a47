#include "reporting/metric_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace transformer {
namespace {

/// Larger losses and perplexities, which a run has that diverges, are written as "5.00e+12".
constexpr double kMaxWritten = 1e9;

bool has_lower_value(const PlotPoint& a, const PlotPoint& b) { return a.value < b.value; }

/// The point at `position`; nullopt at the end.
std::optional<PlotPoint> to_optional(const std::vector<PlotPoint>& points,
                                     std::vector<PlotPoint>::const_iterator position) {
  return position == points.end() ? std::nullopt : std::optional(*position);
}

}  // namespace

std::string loss_text(double value) {
  return value < kMaxWritten ? fmt::format("{:.3f}", value) : fmt::format("{:.2e}", value);
}
std::string perplexity_text(double value) {
  if (value < 1000) return fmt::format("{:.2f}", value);
  return value < kMaxWritten ? count_text(value) : fmt::format("{:.2e}", value);
}
std::string score_text(double value) { return fmt::format("{:.2f}", value); }
std::string rate_text(double value) { return fmt::format("{:.2e}", value); }
std::string count_text(double value) { return with_thousands(std::llround(value)); }
std::string memory_text(double value) { return human_bytes(std::llround(value)); }

std::string text_or_dash(std::optional<double> value, NumberFormat format) {
  return value && std::isfinite(*value) ? format(*value) : "–";
}

std::vector<PlotPoint> points_of(const std::vector<MetricsLine>& metrics, std::string_view key) {
  std::vector<PlotPoint> points;
  for (const MetricsLine& line : metrics) {
    const std::optional<double> value = line.value(key);
    if (value && std::isfinite(*value)) points.push_back({static_cast<double>(line.step), *value});
  }
  return points;
}

std::vector<PlotPoint> downsample(const std::vector<PlotPoint>& points) {
  static constexpr size_t kMaxPoints = 500;
  const size_t group = (points.size() + kMaxPoints - 1) / kMaxPoints;
  if (group <= 1) return points;
  std::vector<PlotPoint> means;
  for (size_t begin = 0; begin < points.size(); begin += group) {
    const size_t end = std::min(begin + group, points.size());
    PlotPoint mean{0, 0};
    for (size_t i = begin; i < end; ++i) {
      mean.step += points[i].step / static_cast<double>(end - begin);
      mean.value += points[i].value / static_cast<double>(end - begin);
    }
    means.push_back(mean);
  }
  means.push_back(points.back());
  return means;
}

std::vector<TranslationMetric> translation_metrics(std::span<const RunRecord> runs) {
  std::vector<TranslationMetric> metrics = {{"bleu", "BLEU", "Validation BLEU", max_point}};
  const auto is_measured = [&](std::string_view metric) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunRecord& run) {
      return latest_value(run.metrics, validation_key(metric)).has_value();
    });
  };
  if (is_measured("chrf")) metrics.push_back({"chrf", "chrF", "Validation chrF", max_point});
  if (is_measured("ter")) metrics.push_back({"ter", "TER", "Validation TER", min_point});
  return metrics;
}

std::optional<PlotPoint> min_point(const std::vector<PlotPoint>& points) {
  return to_optional(points, std::min_element(points.begin(), points.end(), has_lower_value));
}

std::optional<PlotPoint> max_point(const std::vector<PlotPoint>& points) {
  return to_optional(points, std::max_element(points.begin(), points.end(), has_lower_value));
}

std::optional<double> latest_value(const std::vector<MetricsLine>& metrics, std::string_view key) {
  const std::vector<PlotPoint> points = points_of(metrics, key);
  return points.empty() ? std::nullopt : std::optional(points.back().value);
}

int64_t latest_step(const std::vector<MetricsLine>& metrics) {
  int64_t step = 0;
  for (const MetricsLine& line : metrics) step = std::max(step, line.step);
  return step;
}

}  // namespace transformer
