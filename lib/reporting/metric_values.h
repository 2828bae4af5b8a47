#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reporting/metrics.h"
#include "reporting/plot.h"
#include "reporting/run_record.h"

namespace transformer {

// Values of metrics, and how the report writes them.

using NumberFormat = std::string (*)(double);

std::string loss_text(double value);
std::string perplexity_text(double value);
std::string score_text(double value);   // BLEU, chrF or TER
std::string rate_text(double value);    // a learning rate
std::string count_text(double value);   // a whole number
std::string memory_text(double value);  // of bytes

/// The value as text, or a dash if there is none or it is not finite.
std::string text_or_dash(std::optional<double> value, NumberFormat format);

/// A metric of a validation's translations.
struct TranslationMetric {
  std::string_view metric;  // see validation_key
  std::string_view name, plot_title;
  /// The point with the best value of these; nullopt if there is none.
  std::optional<PlotPoint> (*best_of)(const std::vector<PlotPoint>& points);
};

/// BLEU, and chrF and TER if one of the runs has measured them.
std::vector<TranslationMetric> translation_metrics(std::span<const RunRecord> runs);

/// The finite values of `key`, in the order of the lines.
std::vector<PlotPoint> points_of(const std::vector<MetricsLine>& metrics, std::string_view key);

/// Reduces the points to at most about 500, each the mean of neighboring ones; the last point is kept as it is.
std::vector<PlotPoint> downsample(const std::vector<PlotPoint>& points);

/// The point with the lowest value; nullopt if there is none.
std::optional<PlotPoint> min_point(const std::vector<PlotPoint>& points);
/// The point with the highest value; nullopt if there is none.
std::optional<PlotPoint> max_point(const std::vector<PlotPoint>& points);

/// The last finite value of `key`.
std::optional<double> latest_value(const std::vector<MetricsLine>& metrics, std::string_view key);

/// The largest step of a line; 0 if there is none.
int64_t latest_step(const std::vector<MetricsLine>& metrics);

}  // namespace transformer
