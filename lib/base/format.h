#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace transformer {

/// All parts written one after the other, as `operator<<` writes them.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// `value` with exactly `digits` digits after the point: fixed(3.14159, 2) is "3.14".
std::string fixed(double value, int digits);

/// `value` with `digits` significant digits and an exponent: scientific(0.000123, 3) is "1.23e-04".
std::string scientific(double value, int digits);

/// "1,234,567".
std::string with_thousands(int64_t value);

/// "1.5 GB" (powers of 1000).
std::string human_bytes(int64_t bytes);

/// "1 h 02 min", "3 min 20 s", "12 s", "0.4 s".
std::string human_duration(double seconds);

}  // namespace transformer
