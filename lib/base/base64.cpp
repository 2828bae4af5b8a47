#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace transformer {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';

constexpr uint8_t kNoDigit = 64;
/// The value of each character as a digit.
constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (size_t i = 0; i < kDigits.size(); ++i) values[static_cast<unsigned char>(kDigits[i])] = static_cast<uint8_t>(i);
  return values;
}();

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(bytes.size(), 3))) {
    uint32_t group = 0;  // three bytes, or fewer followed by zeros
    for (size_t i = 0; i < 3; ++i) {
      group = (group << 8) | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    }
    for (size_t i = 0; i < 4; ++i) {
      text += i <= bytes.size() ? kDigits[(group >> (18 - 6 * i)) & 63u] : kPadding;
    }
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (; !text.empty(); text.remove_prefix(4)) {
    size_t num_digits = 4;
    if (text.size() == 4 && text[3] == kPadding) num_digits = text[2] == kPadding ? 2 : 3;
    uint32_t group = 0;
    for (size_t i = 0; i < 4; ++i) {
      const uint8_t value = i < num_digits ? kValues[static_cast<unsigned char>(text[i])] : 0;
      if (value == kNoDigit) return std::nullopt;
      group = (group << 6) | value;
    }
    for (size_t i = 0; i + 1 < num_digits; ++i) bytes += static_cast<char>((group >> (16 - 8 * i)) & 255u);
  }
  return bytes;
}

}  // namespace transformer
