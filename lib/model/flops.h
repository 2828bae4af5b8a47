#pragma once

#include <cstdint>

#include "model/model_config.h"

namespace transformer {

/// Floating-point operations of the matrix products (a multiplication and an addition are two) of one forward pass over
/// a pair of S source and T target tokens. Training takes three times as many: forward, and backward twice.
double forward_flops(const ModelConfig& config, int64_t vocabulary_size, int64_t S, int64_t T);

}  // namespace transformer
