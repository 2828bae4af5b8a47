#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer {

// Unicode properties of characters, in the version of the installed ICU. Characters of later versions are unassigned.

/// General categories N, P and S.
bool is_number(char32_t character);
bool is_punctuation(char32_t character);
bool is_symbol(char32_t character);

/// Perl's \p{IsAlpha}, \p{IsAlnum}, \p{IsLower} and \s.
bool is_alphabetic(char32_t character);
bool is_alphanumeric(char32_t character);
bool is_lowercase(char32_t character);
bool is_white_space(char32_t character);

/// Python's str.lower(): full case mapping, independent of the language, with final sigma.
std::string to_lower(std::string_view text);

/// Python's str.split(): the non-empty parts between runs of Unicode whitespace, as views into `text`.
std::vector<std::string_view> split_at_whitespace(std::string_view text);

/// Python's str.rstrip() and str.strip(): remove Unicode whitespace at the end, or at both ends.
std::string_view strip_trailing_whitespace(std::string_view text);
std::string_view strip_whitespace(std::string_view text);

}  // namespace transformer
