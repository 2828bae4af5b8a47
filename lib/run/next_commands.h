#pragma once

#include "config/config.h"
#include "training/checkpoint.h"

namespace transformer {

/// Logs how to continue after a training, as commands to copy: how to resume it or, if it is finished, how to average
/// its checkpoints, to translate and to score. `overwrite`: whether --overwrite was given.
void log_next_commands(const Config& config, const TrainingState& state, bool overwrite);

}  // namespace transformer
