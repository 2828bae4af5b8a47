#pragma once

#include <string>
#include <vector>

#include "model/model_file.h"

namespace transformer {

/// §6.1: the arithmetic mean of the parameters of model files, summed in fp64. Config and vocabulary are the last
/// file's. Throws Error where names or shapes differ.
ModelFile average_checkpoints(const std::vector<std::string>& paths);

}  // namespace transformer
