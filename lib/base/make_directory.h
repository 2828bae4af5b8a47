#pragma once

#include <string>

namespace transformer {

/// Creates the directory and its missing parents. Does nothing if it exists. Throws Error if that fails, or if the path
/// begins with "~/", which no shell has replaced by the home directory.
void make_directory(const std::string& path);

}  // namespace transformer
