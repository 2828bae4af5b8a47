#pragma once

#include <cstdint>

namespace transformer {

/// Equation 3 (§5.3): d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5), for step = 1, 2, ...
double learning_rate(int64_t step, int64_t d_model, int64_t warmup_steps);

}  // namespace transformer
