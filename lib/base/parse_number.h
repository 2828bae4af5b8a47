#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace transformer {

/// Parses a text that is a decimal number and nothing else: "12" or "-3" and, for a floating-point type, also "0.5",
/// "1e-4" and "inf". Returns std::nullopt for any other text, such as one with blanks, a plus sign or a unit, and for a
/// number that is out of the type's range.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace transformer
