#pragma once

#include <string>

#include "config/stored_config.h"
#include "model/model_file.h"
#include "model/run_files.h"

namespace transformer {

/// Writes the config into the run directory, with a first line that says that `transformer train` wrote it.
void write_run_config(const RunFiles& directory, const Config& config);
/// Throws UsageError if the directory has a config.yaml that write_run_config has not written, such as the user's own.
void check_has_no_other_config(const RunFiles& directory);

/// The config with which the run in this directory was last trained. Throws Error if there is no run directory, and as
/// parse_stored_config does.
StoredConfig read_run_config(const RunFiles& directory);

/// The whole config in a model file. Throws DamagedFile if this program cannot read it; `path` is the file in its
/// message.
StoredConfig config_of_model(const ModelFile& file, const std::string& path);

}  // namespace transformer
