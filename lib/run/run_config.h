#pragma once

#include <string>

#include "config/config.h"
#include "model/run_files.h"

namespace transformer {

/// Writes the config into the run directory, with a first line that says that `transformer train` wrote it.
void write_run_config(const RunFiles& directory, const Config& config);
/// Throws UsageError if the directory has a config.yaml that write_run_config has not written, such as the user's own.
void check_has_no_other_config(const RunFiles& directory);

/// The config with which the run in this directory was last trained. Throws Error if there is no run directory, and as
/// parse_stored_config does.
Config read_run_config(const RunFiles& directory);

}  // namespace transformer
