#pragma once

#include <string>

namespace transformer {

/// Appends `line` and '\n' to the file in a single write call; creates the file if it is missing. Throws Error.
void append_line(const std::string& path, const std::string& line);

}  // namespace transformer
