#include "text/word_boundary.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "base/utf8.h"
#include "text/sentences.h"

namespace transformer {
namespace {

constexpr char32_t kReplacement = U'\uFFFD';

bool is_word_character(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  // A part of a character, of which the rest comes with the next piece, does not end a word.
  return character == kReplacement || u_isalnum(c) || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
}

/// A byte that is no part of valid UTF-8 is U+DC00 + it.
char32_t whole(char32_t character) { return character >= 0xD800 && character < 0xE000 ? kReplacement : character; }

}  // namespace

bool may_begin_word_after(char32_t before) { return !is_word_character(before) || is_unspaced(before); }

bool is_word_boundary(char32_t before, char32_t after) {
  return may_begin_word_after(before) || may_begin_word_after(after);
}

char32_t last_character(std::string_view text) {
  static constexpr size_t kMaxBytes = 4;
  if (text.empty()) return kOutsideText;
  const std::string_view end = text.substr(text.size() - std::min(text.size(), kMaxBytes));
  return whole(decode_utf8(end).back());
}

char32_t first_character(std::string_view text) {
  static constexpr size_t kMaxBytes = 4;
  if (text.empty()) return kOutsideText;
  return whole(decode_utf8(text.substr(0, kMaxBytes)).front());
}

}  // namespace transformer
