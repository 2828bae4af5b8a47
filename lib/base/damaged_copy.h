#pragma once

#include <string>

namespace transformer {

/// Where a file with damaged lines is copied to before they are removed.
inline std::string damaged_copy(const std::string& path) { return path + ".damaged"; }

}  // namespace transformer
