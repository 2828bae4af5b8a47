#pragma once

#include <string>
#include <vector>

#include "model/model_file.h"

namespace transformer {

/// What to average: the parameters of model files and checkpoints, or the moving averages that checkpoints of a run
/// with `training.ema_decay` have.
enum class Averaged { parameters, moving_averages };

/// The arithmetic mean of the parameters of several model files (§6.1), computed in fp64, with the config and
/// vocabulary of the last file. Throws Error if the architectures, the names or shapes of parameters, or the
/// vocabularies differ, if a parameter is not finite, or if a file has no moving average.
ModelFile average_checkpoints(const std::vector<std::string>& paths, Averaged averaged = Averaged::parameters);

}  // namespace transformer
