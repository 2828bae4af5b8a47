#pragma once

#include <filesystem>

namespace transformer {

/// The directory of the running program's file.
inline std::filesystem::path program_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace transformer
