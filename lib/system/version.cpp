#include "system/version.h"

#include <ATen/Version.h>
#include <fmt/core.h>
#include <torch/version.h>

#include "base/build_info.h"

namespace transformer {

std::string torch_version_of(std::string_view config) {
  static constexpr std::string_view kKey = "TORCH_VERSION=";
  const size_t key = config.find(kKey);
  if (key == std::string_view::npos) return "";
  const std::string_view rest = config.substr(key + kKey.size());
  return std::string(rest.substr(0, rest.find_first_of(", \n")));
}

std::string torch_version_text(const std::string& loaded) {
  if (loaded.empty() || loaded == TORCH_VERSION) return TORCH_VERSION;
  return fmt::format("{}, built with {}", loaded, TORCH_VERSION);
}

std::string version_line() {
  return fmt::format("transformer {} ({}), libtorch {}", kBuildInfo.version, kBuildInfo.commit,
                     torch_version_text(torch_version_of(at::show_config())));
}

}  // namespace transformer
