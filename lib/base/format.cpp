#include "base/format.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <iomanip>

namespace transformer {

std::string fixed(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

std::string scientific(double value, int digits) {
  std::ostringstream out;
  out << std::scientific << std::setprecision(digits - 1) << value;
  return out.str();
}

std::string with_thousands(int64_t value) {
  std::string text = std::to_string(value);
  const size_t first_digit = value < 0 ? 1 : 0;
  for (size_t end = text.size(); end > first_digit + 3;) {
    end -= 3;
    text.insert(end, 1, ',');
  }
  return text;
}

std::string human_bytes(int64_t bytes) {
  static constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return concat(fixed(value, unit == 0 || value >= 100 ? 0 : 1), " ", kUnits[unit]);
}

std::string human_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  const auto two_digits = [](int64_t value) { return concat(value < 10 ? "0" : "", value); };
  if (seconds < 10) return concat(fixed(seconds, 1), " s");
  if (whole < 60) return concat(whole, " s");
  if (whole < 3600) return concat(whole / 60, " min ", two_digits(whole % 60), " s");
  return concat(whole / 3600, " h ", two_digits(whole % 3600 / 60), " min");
}

}  // namespace transformer
