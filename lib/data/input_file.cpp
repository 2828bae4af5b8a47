#include "data/input_file.h"

#include <filesystem>

#include "base/error.h"
#include "base/line_reader.h"

namespace transformer {
namespace {

/// The nearest directory, from that of the config file upwards, in which the relative path names a file; empty if there
/// is none.
std::string directory_with(const std::string& path, const std::string& config_file) {
  if (config_file.empty() || std::filesystem::path(path).is_absolute()) return "";
  for (auto directory = std::filesystem::absolute(config_file).lexically_normal().parent_path();;
       directory = directory.parent_path()) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(directory / path, unknown)) return directory.string();
    if (directory == directory.parent_path()) return "";
  }
}

}  // namespace

void check_input_file(const std::string& key, const std::string& path, const std::string& config_file) {
  if (std::filesystem::is_regular_file(path)) return;
  if (std::filesystem::exists(path)) {
    throw Error("{}: {}: is a directory or a pipe; give a file, since it is read several times", key, path);
  }
  if (const std::string reason = explain_misread_column(path); !reason.empty())
    throw Error("{}: {}: {}", key, path, reason);
  const std::string here = std::filesystem::current_path().string(), there = directory_with(path, config_file);
  if (there.empty()) {
    throw Error("{}: {}: there is no such file (looked for it from {}); check the path", key, path, here);
  }
  throw Error(
      "{}: {}: there is no such file (looked for it from {}), but {} exists; paths are relative to the directory in "
      "which the program runs: run it in {}, or give the whole path",
      key, path, here, (std::filesystem::path(there) / path).string(), there);
}

}  // namespace transformer
