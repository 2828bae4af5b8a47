#pragma once

#include <string>

namespace transformer {

/// Creates the directory and its missing parents. Does nothing if it exists. Throws Error.
void make_directory(const std::string& path);

}  // namespace transformer
