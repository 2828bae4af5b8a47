#pragma once

#include <string_view>

namespace transformer {

/// What stands before the beginning of a text and behind its end.
inline constexpr char32_t kOutsideText = U' ';

/// Whether a word may begin behind this character: it is no letter, digit or mark, or belongs to a script that writes
/// words without spaces between them.
bool may_begin_word_after(char32_t before);

/// Whether a word may begin or end between these characters.
bool is_word_boundary(char32_t before, char32_t after);

/// The last character of the text, and its first; kOutsideText if it is empty. A part of a character is U+FFFD.
char32_t last_character(std::string_view text);
char32_t first_character(std::string_view text);

}  // namespace transformer
