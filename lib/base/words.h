#pragma once

#include <string>
#include <vector>

namespace transformer {

/// What stands between the ASCII whitespace of a line; none of it empty.
std::vector<std::string> split_words(const std::string& line);

}  // namespace transformer
