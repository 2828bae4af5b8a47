#include "config/find_config.h"

#include <filesystem>

#include "base/program_directory.h"

namespace transformer {
namespace {

constexpr const char* kConfigs = "configs";

}  // namespace

std::string program_configs() {
  const auto above = program_directory().parent_path();
  for (const auto& root : {above, above.parent_path()}) {
    const auto configs = root / kConfigs;
    std::error_code unknown;
    if (std::filesystem::is_directory(configs, unknown)) return configs.string();
  }
  return "";
}

std::string find_config(const std::string& path) {
  const auto given = std::filesystem::path(path).lexically_normal();
  if (std::filesystem::exists(path) || given.empty() || *given.begin() != kConfigs) return path;
  const std::string configs = program_configs();
  if (configs.empty()) return path;
  const auto found = std::filesystem::path(configs) / given.lexically_relative(kConfigs);
  return std::filesystem::is_regular_file(found) ? found.string() : path;
}

}  // namespace transformer
