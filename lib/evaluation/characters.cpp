#include "evaluation/characters.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

namespace transformer {
namespace {

bool has_category(char32_t character, uint32_t categories) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & categories) != 0;
}

/// The number of bytes of the whitespace character at `text[start]`, or 0 if there is none. Whitespace is defined by
/// Python's str.isspace(), which includes four control characters more than Unicode's White_Space.
size_t whitespace_length(std::string_view text, size_t start) {
  const char first = text[start];
  if (static_cast<unsigned char>(first) < 0x80) {
    return (first >= '\t' && first <= '\r') || (first >= '\x1C' && first <= ' ') ? 1 : 0;
  }
  if (first == '\xC2') {
    const std::string_view two = text.substr(start, 2);
    return two == "\u0085" || two == "\u00A0" ? 2 : 0;
  }
  if (first < '\xE1' || first > '\xE3') return 0;
  const std::string_view three = text.substr(start, 3);
  const bool is_space = three == "\u1680" || (three >= "\u2000" && three <= "\u200A") || three == "\u2028" ||
                        three == "\u2029" || three == "\u202F" || three == "\u205F" || three == "\u3000";
  return is_space ? 3 : 0;
}

}  // namespace

bool is_number(char32_t character) { return has_category(character, U_GC_N_MASK); }
bool is_punctuation(char32_t character) { return has_category(character, U_GC_P_MASK); }
bool is_symbol(char32_t character) { return has_category(character, U_GC_S_MASK); }

bool is_alphabetic(char32_t character) { return u_isUAlphabetic(static_cast<UChar32>(character)) != 0; }
bool is_alphanumeric(char32_t character) { return is_alphabetic(character) || has_category(character, U_GC_ND_MASK); }
bool is_lowercase(char32_t character) { return u_isULowercase(static_cast<UChar32>(character)) != 0; }
bool is_white_space(char32_t character) { return u_isUWhiteSpace(static_cast<UChar32>(character)) != 0; }

std::string to_lower(std::string_view text) {
  static constexpr const char* kNoLanguage = "";
  std::string lower;
  icu::StringByteSink<std::string> sink(&lower, static_cast<int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower(kNoLanguage, 0, {text.data(), static_cast<int32_t>(text.size())}, sink, nullptr, status);
  return lower;
}

std::vector<std::string_view> split_at_whitespace(std::string_view text) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t length = whitespace_length(text, i);
    if (length == 0) {
      ++i;
      continue;
    }
    if (i > begin) pieces.push_back(text.substr(begin, i - begin));
    i += length;
    begin = i;
  }
  if (begin < text.size()) pieces.push_back(text.substr(begin));
  return pieces;
}

std::string_view strip_trailing_whitespace(std::string_view text) {
  size_t end = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t length = whitespace_length(text, i);
    i += length == 0 ? 1 : length;
    if (length == 0) end = i;
  }
  return text.substr(0, end);
}

std::string_view strip_whitespace(std::string_view text) {
  text = strip_trailing_whitespace(text);
  while (!text.empty() && whitespace_length(text, 0) > 0) text.remove_prefix(whitespace_length(text, 0));
  return text;
}

}  // namespace transformer
