#include "base/make_directory.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/system_error.h"

namespace transformer {

void make_directory(const std::string& path) {
  std::error_code failure;
  if (path.starts_with("~/") && !std::filesystem::exists(path, failure)) {
    throw Error("{}: only a shell replaces ~ by the home directory; write the whole path", path);
  }
  std::filesystem::create_directories(path, failure);
  if (failure) throw Error("{}: cannot create this directory: {}", path, system_error_text(failure.value()));
}

}  // namespace transformer
