#include "base/make_directory.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace transformer {

void make_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) throw Error(path, ": cannot create this directory: ", failure.message());
}

}  // namespace transformer
