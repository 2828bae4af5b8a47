#include "reporting/curve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"

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

int magnitude(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

/// The value with as many digits as are needed to distinguish ticks that are `step` apart.
std::string tick_label(double value, double step) {
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

/// Ticks at 1, 2, 5, 10, 20, ..., or at powers of ten only if the range is wide.
Axis logarithmic_axis(double low, double high) {
  const bool crowded = high / low > 1e4;
  Axis axis{low / 1.1, high * 1.1, true, {}};
  for (int power = magnitude(axis.low); power <= magnitude(axis.high); ++power) {
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

Axis value_axis(const Curve& curve, const std::vector<CurvePoint>& points) {
  const auto [least, greatest] = std::minmax_element(
      points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.value < b.value; });
  const double low = curve.from_zero ? std::min(0.0, least->value) : least->value;
  const double high = greatest->value;
  if (curve.may_be_logarithmic && low > 0 && high > 10 * low) return logarithmic_axis(low, high);
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

std::string polyline(const std::vector<CurvePoint>& points, const Axis& steps, const Axis& values) {
  std::string svg = "<polyline class=\"curve\" points=\"";
  for (const auto& [step, value] : points) {
    svg += fmt::format("{},{} ", x_of(steps, step), y_of(values, value));
  }
  return svg + "\"/>\n";
}

std::string mark(const Curve& curve, CurvePoint point, const Axis& steps, const Axis& values) {
  return fmt::format("<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"4\"><title>{}</title></circle>\n",
                     x_of(steps, point.step), y_of(values, point.value), at_step(curve, point));
}

/// Marks for all points if there are few of them, otherwise for the last point only.
std::string marks(const Curve& curve, const std::vector<CurvePoint>& points, const Axis& steps, const Axis& values) {
  static constexpr size_t kFew = 40;
  std::string svg;
  for (size_t i = points.size() > kFew ? points.size() - 1 : 0; i < points.size(); ++i) {
    svg += mark(curve, points[i], steps, values);
  }
  return svg;
}

}  // namespace

std::string at_step(const Curve& curve, const CurvePoint& point) {
  return fmt::format("{} at step {}", curve.format(point.value), with_thousands(std::llround(point.step)));
}

std::string curve_picture(const Curve& curve, const std::vector<CurvePoint>& points, int64_t last_step) {
  const Axis steps = step_axis(last_step);
  const Axis values = value_axis(curve, points);
  return fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{} by step\">\n{}{}{}</svg>\n",
                     kPictureWidth, kPictureHeight, curve.title, grid(steps, values), polyline(points, steps, values),
                     marks(curve, points, steps, values));
}

}  // namespace transformer
