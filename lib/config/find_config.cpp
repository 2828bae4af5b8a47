#include "config/find_config.h"

#include <filesystem>

#include "base/program_directory.h"

namespace transformer {
namespace {

constexpr const char* kConfigs = "configs";

}  // namespace

std::string program_configs() {
  const auto above = program_directory().parent_path();
  for (const auto& root : {above / "share/transformer", above.parent_path()}) {
    const auto configs = root / kConfigs;
    std::error_code unknown;
    if (std::filesystem::is_directory(configs, unknown)) return configs.string();
  }
  return "";
}

std::string find_program_config(const std::string& path) {
  const auto given = std::filesystem::path(path).lexically_normal();
  const std::string configs = program_configs();
  if (configs.empty() || given.empty() || *given.begin() != kConfigs) return "";
  const auto found = std::filesystem::path(configs) / given.lexically_relative(kConfigs);
  return std::filesystem::is_regular_file(found) ? found.string() : "";
}

std::string find_config(const std::string& path) {
  const std::string found = std::filesystem::exists(path) ? "" : find_program_config(path);
  return found.empty() ? path : found;
}

}  // namespace transformer
