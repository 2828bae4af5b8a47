#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// Loads a config. In order of increasing precedence, a value comes from the defaults, the file that the `extends` of
/// `path` names, `path` itself, and the overrides ("section.key=value"). `path` is found as find_config says. Throws
/// UsageError with the first 20 faults, each with file and line, and the number of the others: unknown keys, wrong
/// types, values out of range, broken rules. Throws Error if a file cannot be read.
Config load_config(const std::string& path, const std::vector<std::string>& overrides);

/// A config, and where its values come from.
struct ResolvedConfig {
  Config config;
  std::vector<std::string> files;              // the file, the file that it extends, and so on
  std::map<std::string, std::string> origins;  // for each key that is given: "configs/tiny.yaml:7", "--set model.N=2"
};

/// Loads a config as load_config does, and says where its values come from.
ResolvedConfig resolve_config(const std::string& path, const std::vector<std::string>& overrides);

/// The resolved config as YAML that can be given to --config. A comment behind each value says where it comes from, and
/// one at the beginning which files extend which.
std::string dump_with_origins(const ResolvedConfig& resolved);

}  // namespace transformer
