#pragma once

#include "config/config.h"
#include "training/run_directory.h"

namespace transformer {

/// The config with which the run in this directory was last trained. Throws Error if there is no run directory, or if
/// its config is damaged.
Config read_run_config(const RunDirectory& directory);

}  // namespace transformer
