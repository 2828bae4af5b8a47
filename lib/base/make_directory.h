#pragma once

#include <string>

namespace transformer {

/// Creates the directory and its missing parents. Does nothing if it exists. Throws Error if that fails, or if the path
/// begins with ~, as a shell would not have left it.
void make_directory(const std::string& path);

}  // namespace transformer
