#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// A config file and the settings that override single keys of it.
struct ConfigSource {
  std::string file;
  std::vector<std::string> overrides;  // "training.seed=2"

  /// Throws UsageError as load_config does.
  Config load() const { return load_config(file, overrides); }
};

}  // namespace transformer
