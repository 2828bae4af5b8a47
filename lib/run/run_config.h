#pragma once

#include <string>

#include "config/config.h"
#include "training/run_directory.h"

namespace transformer {

/// The config that a run directory or a model file holds, as YAML; `name` is what messages call it. Throws DamagedFile
/// if this version of the program cannot read it.
Config parse_stored_config(const std::string& text, const std::string& name);

/// Writes the config into the run directory, with a first line that says that `transformer train` wrote it.
void write_run_config(const RunDirectory& directory, const Config& config);
/// Throws UsageError if the directory has a config.yaml that write_run_config has not written, such as the user's own.
void check_has_no_other_config(const RunDirectory& directory);

/// The config with which the run in this directory was last trained. Throws Error if there is no run directory, and as
/// parse_stored_config does.
Config read_run_config(const RunDirectory& directory);

}  // namespace transformer
