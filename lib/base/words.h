#pragma once

#include <string>
#include <vector>

namespace transformer {

/// Splits a line at ASCII whitespace; none of the words is empty.
std::vector<std::string> split_words(const std::string& line);

/// Splits a text at a separator: "a||b" is "a", "" and "b" with '|'. An empty part at the end is left out.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace transformer
