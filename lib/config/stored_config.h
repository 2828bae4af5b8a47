#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// The config that a run directory, a checkpoint or a model file holds, perhaps of another version of this program.
struct StoredConfig : Config {
  /// The keys that this version of the program does not know or whose values it does not accept, these with the value
  /// ("training.schedule: tri_stage"). It ignores them. None is below `model`, since it might change the architecture.
  std::vector<std::string> unknown_keys;
};

/// Parses the config that `dump_config` wrote; `name` is what messages call it, `program` the one that wrote it, empty
/// if it is not known. Checks only those rules between keys
/// that are about the architecture: a config that another version of this program has accepted may break the other
/// rules of this version. Throws DamagedFile if this version of the program cannot read it.
StoredConfig parse_stored_config(const std::string& text, const std::string& name, const std::string& program = "");

}  // namespace transformer
