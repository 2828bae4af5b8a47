#include "base/same_path.h"

#include <filesystem>
#include <system_error>

namespace transformer {
namespace {

namespace fs = std::filesystem;

/// The path without links, as far as it exists, and with "/" at its end.
fs::path canonical(const std::string& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  const fs::path resolved = fs::weakly_canonical(absolute, failed);
  return ((failed ? absolute : resolved) / "").lexically_normal();
}

}  // namespace

bool is_same_path(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  if (a == b) return true;  // for a pipe too, which `equivalent` cannot compare
  std::error_code unknown;
  if (fs::exists(a, unknown) && fs::exists(b, unknown)) return fs::equivalent(a, b, unknown);
  return canonical(a) == canonical(b);
}

}  // namespace transformer
