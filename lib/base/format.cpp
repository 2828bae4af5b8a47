#include "base/format.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

#include "base/utf8.h"

namespace transformer {

std::string with_thousands(int64_t value) {
  std::string text = std::to_string(value);
  const size_t first_digit = value < 0 ? 1 : 0;
  for (size_t end = text.size(); end > first_digit + 3;) {
    end -= 3;
    text.insert(end, 1, ',');
  }
  return text;
}

std::string counted(int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", with_thousands(count), noun, count == 1 ? "" : "s");
}

std::string first_of_such_lines(int64_t count) {
  return count == 1 ? "the only such line" : fmt::format("the first of {}", counted(count, "such line"));
}

std::string enumeration(const std::vector<std::string>& items, std::string_view conjunction, size_t max_shown) {
  return enumeration(items, conjunction, max_shown, items.size());
}

std::string enumeration(const std::vector<std::string>& items, std::string_view conjunction, size_t max_shown,
                        size_t num_items) {
  const size_t num_shown = std::min(items.size(), max_shown);
  std::string text;
  for (size_t i = 0; i < num_shown; ++i) {
    if (i > 0) text += i + 1 == num_items ? fmt::format(" {} ", conjunction) : ", ";
    text += items[i];
  }
  if (num_items <= num_shown) return text;
  return fmt::format("{} and {} more", text, with_thousands(static_cast<int64_t>(num_items - num_shown)));
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string shown_value(const std::string& text) {
  static constexpr size_t kMaxShown = 80;
  return cut_to_width(text, kMaxShown);
}

std::string in_parentheses(const std::string& remark) { return remark.empty() ? "" : " (" + remark + ")"; }

std::string human_bytes(int64_t bytes) {
  static constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= (unit == 0 ? 1000 : 999.5) && unit + 1 < kUnits.size()) {  // "1.0 MB", not "1000 kB"
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 100 ? 0 : 1, kUnits[unit]);
}

std::string human_duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), length};
}

}  // namespace transformer
