#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"

namespace transformer {

/// Reads the settings of a config file; they override those of the file that its `extends:` names (relative to the
/// file, or as find_config finds it). Text that is not YAML, a key that is given twice, a base file that does not exist
/// and a cycle of `extends` are faults. Throws Error if a file cannot be read.
Settings read_settings(const std::string& path);

/// Applies assignments such as "model.d_model=256", the arguments of --set, in their order.
void apply_overrides(const std::vector<std::string>& assignments, Settings& settings);

}  // namespace transformer
