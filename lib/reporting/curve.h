#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

struct CurvePoint {
  double step, value;
};

/// How one metric is drawn as a curve over the training steps.
struct Curve {
  std::string_view title;
  std::string (*format)(double);
  bool from_zero;           // whether the vertical axis starts at 0
  bool may_be_logarithmic;  // whether the axis is logarithmic if the values span more than a factor of 10
};

/// The point as text, such as "1.234 at step 5,000".
std::string at_step(const Curve& curve, const CurvePoint& point);

/// The curve as an <svg> element. There must be at least one point. The horizontal axis ends at `last_step`, so that
/// all curves of a run share it. The page's style sheet gives colours to the classes `grid`, `curve` and `mark`.
std::string curve_picture(const Curve& curve, const std::vector<CurvePoint>& points, int64_t last_step);

}  // namespace transformer
