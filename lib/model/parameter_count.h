#pragma once

#include <cstdint>

#include "model/model_config.h"

namespace transformer {

/// The parameters of a network of this shape, without building it; the matrix of §3.4 counts once.
int64_t num_parameters(const ModelConfig& config, int64_t vocabulary_size);

}  // namespace transformer
