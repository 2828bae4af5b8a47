#pragma once

#include <limits>
#include <string>

namespace transformer {

/// The numbers that a key accepts.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool includes_least = true, includes_most = true;

  bool contains(double number) const;
  /// "at least 1", "above 0", "at least 0 and below 1".
  std::string text() const;
};

constexpr Range at_least(double least) { return {.least = least}; }
constexpr Range above(double limit) { return {.least = limit, .includes_least = false}; }
constexpr Range from_to(double least, double most) { return {.least = least, .most = most}; }

/// A probability below 1, such as that of dropout.
inline constexpr Range kProbability = {.least = 0, .most = 1, .includes_most = false};
/// A number between 0 and 1, neither of which it may be.
inline constexpr Range kFraction = {.least = 0, .most = 1, .includes_least = false, .includes_most = false};
/// A number of tokens.
inline constexpr Range kTokenCount = from_to(1, 1e9);

}  // namespace transformer
