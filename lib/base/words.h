#pragma once

#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The blanks of ASCII: space, tab and line breaks.
inline constexpr std::string_view kBlanks = " \t\r\n";
inline bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
/// Whether there is nothing but blanks.
inline bool is_blank(std::string_view text) { return text.find_first_not_of(kBlanks) == std::string_view::npos; }

/// Whether a byte of UTF-8 is an ASCII letter or digit, or belongs to a character beyond ASCII.
inline bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; }

/// The text without the blanks before and behind it.
std::string_view trimmed(std::string_view text);

/// With a ... z for A ... Z.
std::string lower_case(std::string_view text);

bool is_in(std::string_view word, std::initializer_list<std::string_view> words);

/// Splits a line at ASCII whitespace; none of the words is empty.
std::vector<std::string> split_words(const std::string& line);

/// Splits a text at a separator: "a||b" is "a", "" and "b" with '|'. An empty part at the end is left out.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace transformer
