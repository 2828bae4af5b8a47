#include "base/utf8.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace transformer {
namespace {

/// The beginning of a text: a character, or a maximal subpart of an ill-formed sequence.
struct Sequence {
  UChar32 code;  // negative if ill-formed
  size_t length;
};

Sequence first_sequence(std::string_view text) {
  const auto end = static_cast<int32_t>(std::min<size_t>(text.size(), U8_MAX_LENGTH));
  int32_t length = 0;
  UChar32 code = 0;
  U8_NEXT(text.data(), length, end, code);
  return {code, static_cast<size_t>(length)};
}

/// The text from its first character on that is not ASCII, or from up to seven bytes before it.
std::string_view without_ascii_before(std::string_view text) {
  static constexpr uint64_t kNotAscii = 0x8080808080808080;
  while (text.size() >= sizeof(uint64_t)) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    if ((bytes & kNotAscii) != 0) return text;
    text.remove_prefix(sizeof(bytes));
  }
  return text;
}

/// A byte B that is not part of valid UTF-8 is decoded to kInvalidByte + B.
constexpr char32_t kInvalidByte = 0xDC00;

void append_utf8(char32_t code, std::string& text) {
  if (code > kInvalidByte && code <= kInvalidByte + 0xFF) {
    text += static_cast<char>(code - kInvalidByte);
    return;
  }
  std::array<char, U8_MAX_LENGTH> bytes{};
  size_t length = 0;
  U8_APPEND_UNSAFE(bytes.data(), length, code);
  text.append(bytes.data(), length);
}

}  // namespace

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = first_sequence(text);
    valid.append(code < 0 ? "\uFFFD" : text.substr(0, length));
    text.remove_prefix(length);
  }
  return valid;
}

bool is_valid_utf8(std::string_view text) {
  while (true) {
    text = without_ascii_before(text);
    if (text.empty()) return true;
    const auto [code, length] = first_sequence(text);
    if (code < 0) return false;
    text.remove_prefix(length);
  }
}

std::string_view without_byte_order_mark(std::string_view text) {
  static constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = first_sequence(text);
    if (code >= 0) {
      characters += static_cast<char32_t>(code);
    } else {
      for (const char byte : text.substr(0, length))
        characters += static_cast<char32_t>(kInvalidByte + static_cast<uint8_t>(byte));
    }
    text.remove_prefix(length);
  }
  return characters;
}

size_t num_characters(std::string_view text) { return decode_utf8(text).size(); }

std::string encode_utf8(std::u32string_view characters) {
  std::string text;
  text.reserve(characters.size());
  for (const char32_t code : characters) append_utf8(code, text);
  return text;
}

std::string cut_to_width(const std::string& text, size_t width) {
  std::u32string characters = decode_utf8(text);
  if (characters.size() <= width) return text;
  characters.resize(width == 0 ? 0 : width - 1);
  return encode_utf8(characters) + (width == 0 ? "" : "…");
}

}  // namespace transformer
