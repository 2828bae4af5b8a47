#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// A config, and where its values come from.
struct ResolvedConfig {
  Config config;
  std::vector<std::string> files;              // the file, the file that it extends, and so on
  std::map<std::string, std::string> origins;  // for each key that is given: "configs/tiny.yaml:7", "--set model.N=2"
};

/// load_config, which also says where the values come from.
ResolvedConfig resolve_config(const std::string& path, const std::vector<std::string>& overrides);

/// The resolved config as YAML that can be given to --config. A comment behind each value says where it comes from, and
/// one at the beginning which files extend which.
std::string dump_with_origins(const ResolvedConfig& resolved);

}  // namespace transformer
