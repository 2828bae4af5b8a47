#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

struct PlotPoint {
  double step, value;
};

/// How a plot shows its values over the training steps.
struct PlotStyle {
  std::string_view title;
  std::string (*format)(double);
  bool from_zero;           // whether the vertical axis starts at 0
  bool may_be_logarithmic;  // whether the axis is logarithmic if the values span more than a factor of 10
  double unit = 1;          // the vertical axis shows multiples of this value
};

/// One curve of a plot.
struct PlotSeries {
  std::string name;               // empty if the plot has only this curve
  size_t color;                   // the page's style sheet has the classes color0 to color7; larger numbers start again
  size_t pattern;                 // of the line: solid, dashed, dotted; larger numbers are dotted
  std::vector<PlotPoint> points;  // not empty; finite values
};

/// The class of the page's style sheet that sets the color of this number.
std::string color_class(size_t color);
/// The class that sets the pattern of a line, after a blank; empty for a solid line.
std::string_view pattern_class(size_t pattern);

/// The point as text, such as "1.234 at step 5,000".
std::string at_step(const PlotStyle& style, const PlotPoint& point);

/// The curves, of which there must be at least one, on common axes, as an <svg> element. The horizontal axis ends at
/// `last_step`, so that all plots of a page share it. The page's style sheet styles the classes `grid`, `curve`,
/// `dashed`, `dotted` and `mark`.
std::string plot_picture(const PlotStyle& style, const std::vector<PlotSeries>& series, int64_t last_step);

}  // namespace transformer
