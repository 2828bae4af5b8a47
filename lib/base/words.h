#pragma once

#include <string>
#include <vector>

namespace transformer {

/// Splits a line at ASCII whitespace; none of the words is empty.
std::vector<std::string> split_words(const std::string& line);

}  // namespace transformer
