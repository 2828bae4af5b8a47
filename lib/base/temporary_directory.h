#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/system_error.h"

namespace transformer {

/// A new empty directory, which is removed with all that is in it when this object is destroyed.
class TemporaryDirectory {
 public:
  /// Throws Error if it cannot be created.
  TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "transformer-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw write_error(path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace transformer
