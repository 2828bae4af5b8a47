#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// Cuts a line into words as mteval-v13a.pl does, the script of the WMT evaluations, and joins them
/// with single spaces: "Hello, world (3.5)!" is "Hello , world ( 3.5 ) !". The same as sacreBLEU's
/// Tokenizer13a for valid UTF-8; bytes that are not UTF-8 count as letters.
std::string tokenize_13a(std::string_view line);

/// Python's str.split(): the pieces between runs of Unicode whitespace, none of them empty. They
/// are views into `text`.
std::vector<std::string_view> split_at_whitespace(std::string_view text);

/// Python's str.rstrip(): `text` without the Unicode whitespace at its end.
std::string_view strip_trailing_whitespace(std::string_view text);

}  // namespace transformer
