#pragma once

#include <string>

namespace transformer {

/// Returns all bytes of the file. Throws Error if it cannot be read.
std::string read_file(const std::string& path);

}  // namespace transformer
