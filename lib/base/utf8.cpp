#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace transformer {
namespace {

/// The length of the valid character that starts `text`, or 0.
size_t valid_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF are told by the second byte.
  const uint8_t second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
      (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

/// Where the bytes that are not UTF-8 stand among the characters: surrogates, as Python's "surrogateescape" has it.
constexpr char32_t kInvalidBytes = 0xDC00;

char32_t code_point(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return lead < 0x80 ? lead : kInvalidBytes + lead;
  char32_t code = lead & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) code = (code << 6) | (static_cast<uint8_t>(c) & 0x3Fu);
  return code;
}

void append_utf8(char32_t code, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code > kInvalidBytes && code <= kInvalidBytes + 0xFF) {
    text += static_cast<char>(code - kInvalidBytes);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

size_t character_length(std::string_view text) { return std::max<size_t>(valid_length(text), 1); }

std::u32string decode_utf8(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    const size_t length = character_length(text);
    characters += code_point(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

std::string encode_utf8(std::u32string_view characters) {
  std::string text;
  text.reserve(characters.size());
  for (const char32_t code : characters) append_utf8(code, text);
  return text;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = valid_length(text);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      valid.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return valid;
}

}  // namespace transformer
