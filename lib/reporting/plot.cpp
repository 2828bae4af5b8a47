#include "reporting/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/format.h"
#include "reporting/html.h"

namespace transformer {
namespace {

struct Tick {
  double value;
  std::string label;
};

struct Axis {
  double low, high;
  bool logarithmic = false;
  std::vector<Tick> ticks;

  /// The position of `value` on the axis: 0 at the low end, 1 at the high end.
  double fraction(double value) const {
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
  }
};

/// Larger numbers have labels such as "5e+12".
constexpr double kMaxTick = 1e9;

int magnitude(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

/// The value with as many digits as are needed to distinguish ticks that are `step` apart.
std::string tick_label(double value, double step) {
  if (value >= kMaxTick) return fmt::format("{:.0e}", value);
  if (step >= 1 || value == 0) return with_thousands(std::llround(value));
  if (step >= 1e-4) return fmt::format("{:.{}f}", value, -magnitude(step));
  return fmt::format("{:.{}e}", value, magnitude(std::abs(value)) - magnitude(step));
}

/// The smallest number of the sequence ..., 0.2, 0.5, 1, 2, 5, 10, 20, ... that is not less than `step`.
double round_step(double step) {
  const double power = std::pow(10, magnitude(step));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// Ticks at the multiples of `step` that cover the range from `low` to `high`.
std::vector<Tick> round_ticks(double low, double high, double step) {
  const auto first = static_cast<int64_t>(std::floor(low / step + 1e-9));
  const auto last = static_cast<int64_t>(std::ceil(high / step - 1e-9));
  std::vector<Tick> ticks;
  for (int64_t i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    ticks.push_back({value, tick_label(value, step)});
  }
  return ticks;
}

Axis linear_axis(double low, double high) {
  if (high - low <= 1e-9 * std::abs(high)) {  // a single value gets a margin
    const double margin = low == 0 ? 0.5 : std::abs(low) / 10;
    if (low != 0) low -= margin;
    high += margin;
  }
  const std::vector<Tick> ticks = round_ticks(low, high, round_step((high - low) / 5));
  return {ticks.front().value, ticks.back().value, false, ticks};
}

/// Ticks at 1, 2, 5, 10, 20, ..., or if the range is wide at powers of ten only, about six of them.
Axis logarithmic_axis(double low, double high) {
  const bool crowded = high / low > 1e4;
  Axis axis{low / 1.1, std::min(high, std::numeric_limits<double>::max() / 1.1) * 1.1, true, {}};
  const int first = magnitude(axis.low), last = magnitude(axis.high);
  const int every = crowded ? (last - first + 5) / 6 : 1;
  for (int power = first; power <= last; power += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if (value < axis.low || value > axis.high || (crowded && factor != 1)) continue;
      axis.ticks.push_back({value, tick_label(value, value)});
    }
  }
  return axis;
}

/// The horizontal axis, from 0 to the run's latest step.
Axis step_axis(int64_t latest) {
  const auto high = static_cast<double>(std::max<int64_t>(latest, 1));
  std::vector<Tick> ticks = round_ticks(0, high, std::max(1.0, round_step(high / 6)));
  if (ticks.back().value > high) ticks.pop_back();
  return {0, high, false, ticks};
}

Axis value_axis(const PlotStyle& style, const std::vector<PlotSeries>& series) {
  double low = series[0].points[0].value, high = low;
  for (const PlotSeries& one : series) {
    for (const PlotPoint& point : one.points) {
      low = std::min(low, point.value);
      high = std::max(high, point.value);
    }
  }
  if (style.from_zero) low = std::min(0.0, low);
  low /= style.unit;
  high /= style.unit;
  if (style.may_be_logarithmic && low > 0 && high > 10 * low) return logarithmic_axis(low, high);
  return linear_axis(low, high);
}

/// Sizes of the picture and of the plot inside it. The margins hold the tick labels.
constexpr double kPictureWidth = 560, kPictureHeight = 250;
constexpr double kLeft = 58, kRight = 542, kTop = 12, kBottom = 218;

std::string x_of(const Axis& axis, double step) {
  return fmt::format("{:.1f}", kLeft + axis.fraction(step) * (kRight - kLeft));
}

std::string y_of(const Axis& axis, double value) {
  return fmt::format("{:.1f}", kBottom - axis.fraction(value) * (kBottom - kTop));
}

std::string grid(const Axis& steps, const Axis& values) {
  std::string svg =
      fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">step</text>\n", kLeft - 20, kBottom + 20);
  for (const auto& [value, label] : values.ticks) {
    const std::string y = y_of(values, value);
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:g}\" x2=\"{:g}\" y1=\"{}\" y2=\"{}\"/>"
        "<text x=\"{:g}\" y=\"{}\" dy=\"4\" text-anchor=\"end\">{}</text>\n",
        kLeft, kRight, y, y, kLeft - 8, y, label);
  }
  for (const auto& [step, label] : steps.ticks) {
    const std::string x = x_of(steps, step);
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:g}\" y2=\"{:g}\"/>"
        "<text x=\"{}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n",
        x, x, kBottom, kBottom + 5, x, kBottom + 20, label);
  }
  return svg;
}

/// Draws the curves of one plot.
class CurvePainter {
 public:
  CurvePainter(const PlotStyle& style, const Axis& steps, const Axis& values)
      : style_(style), steps_(steps), values_(values) {}

  /// Curve and marks of a series. Its points have marks if there are few of them, otherwise only the last one has.
  std::string paint(const PlotSeries& series) const {
    static constexpr size_t kFew = 40;
    std::string svg = fmt::format("<g class=\"{}\">\n{}", color_class(series.color), polyline(series));
    for (size_t i = series.points.size() > kFew ? series.points.size() - 1 : 0; i < series.points.size(); ++i) {
      svg += mark(series, series.points[i]);
    }
    return svg + "</g>\n";
  }

 private:
  std::string x_of(const PlotPoint& point) const { return transformer::x_of(steps_, point.step); }
  std::string y_of(const PlotPoint& point) const { return transformer::y_of(values_, point.value / style_.unit); }

  std::string polyline(const PlotSeries& series) const {
    std::string svg = fmt::format("<polyline class=\"curve{}\" points=\"", pattern_class(series.pattern));
    for (const PlotPoint& point : series.points) svg += fmt::format("{},{} ", x_of(point), y_of(point));
    return svg + "\"/>\n";
  }

  /// A browser shows the title of a mark when the pointer is over it.
  std::string mark(const PlotSeries& series, const PlotPoint& point) const {
    const std::string name = series.name.empty() ? "" : escaped_html(series.name) + ": ";
    return fmt::format("<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"2.5\"><title>{}{}</title></circle>\n",
                       x_of(point), y_of(point), name, at_step(style_, point));
  }

  const PlotStyle& style_;
  const Axis &steps_, &values_;
};

}  // namespace

std::string_view pattern_class(size_t pattern) {
  static constexpr std::array<std::string_view, 3> kClasses = {"", " dashed", " dotted"};
  return kClasses[std::min(pattern, kClasses.size() - 1)];
}

std::string color_class(size_t color) {
  static constexpr size_t kColors = 8;
  return fmt::format("color{}", color % kColors);
}

std::string at_step(const PlotStyle& style, const PlotPoint& point) {
  return fmt::format("{} at step {}", style.format(point.value), with_thousands(std::llround(point.step)));
}

std::string plot_picture(const PlotStyle& style, const std::vector<PlotSeries>& series, int64_t last_step) {
  const Axis steps = step_axis(last_step);
  const Axis values = value_axis(style, series);
  const CurvePainter painter(style, steps, values);
  std::string svg = fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{} by step\">\n{}",
                                kPictureWidth, kPictureHeight, style.title, grid(steps, values));
  for (const PlotSeries& one : series) svg += painter.paint(one);
  return svg + "</svg>\n";
}

}  // namespace transformer
