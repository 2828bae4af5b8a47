#include "base/home_directory.h"

#include <cstdlib>

namespace transformer {

std::string expand_home(const std::string& path) {
  const char* home = std::getenv("HOME");
  const bool is_below_home = path == "~" || path.starts_with("~/");
  return is_below_home && home != nullptr && *home != '\0' ? home + path.substr(1) : path;
}

}  // namespace transformer
