#pragma once

#include <string>

namespace transformer {

/// The path with "~" at its beginning, alone or before a slash, replaced by $HOME, as shells do for words of a command
/// line, but neither inside of words nor in files. Other paths, and all paths without $HOME, are unchanged.
std::string expand_home(const std::string& path);

}  // namespace transformer
