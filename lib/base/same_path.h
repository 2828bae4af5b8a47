#pragma once

#include <string>

namespace transformer {

/// Whether both paths name the same file or directory, which need not exist yet: relative or absolute, with or without
/// "./" or a "/" at the end, or through links. An empty path names none.
bool is_same_path(const std::string& a, const std::string& b);

}  // namespace transformer
