#pragma once

#include <string>
#include <vector>

#include "model/model_file.h"

namespace transformer {

/// The arithmetic mean of the parameters of several model files (§6.1), computed in fp64, with the config and
/// vocabulary of the last file. Throws Error if names or shapes of parameters, or the vocabularies, differ, or if a
/// parameter is not finite.
ModelFile average_checkpoints(const std::vector<std::string>& paths);

}  // namespace transformer
