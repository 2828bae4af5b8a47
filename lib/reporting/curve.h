#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

struct CurvePoint {
  double step, value;
};

/// How a kind of figure is drawn by step.
struct Curve {
  std::string_view title;
  std::string (*format)(double);
  bool from_zero;           // the axis starts at 0
  bool may_be_logarithmic;  // where the values span more than a decade
};

/// "1.234 at step 5,000".
std::string at_step(const Curve& curve, const CurvePoint& point);

/// The curve as an <svg>, from step 0 to the run's last, the same for every curve of the run. At least one point. Its
/// classes `grid`, `curve` and `mark` get their colours from the page.
std::string curve_picture(const Curve& curve, const std::vector<CurvePoint>& points, int64_t last_step);

}  // namespace transformer
