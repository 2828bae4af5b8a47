#pragma once

#include <cstdint>

#include "training/training_config.h"

namespace transformer {

/// Equation 3 (§5.3): d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5), for step = 1, 2, ...
double noam(int64_t step, int64_t d_model, int64_t warmup_steps);

/// The learning rate of a step, which counts from 1. By `training.schedule`, where `peak` is `training.learning_rate`:
///
///   noam          Equation 3 times `learning_rate_scale` (Deviation D16)
///   inverse_sqrt  peak * (warmup_steps / step)^0.5: noam with its peak given
///   linear        from peak to 0 in the last step
///   cosine        from peak to 0 in the last step, along half a cosine wave
///   constant      peak
///   plateau       peak * plateau_factor^num_reductions, see ValidationHistory
///
/// During the first `warmup_steps` steps, each of them increases linearly from 0 to the peak.
double learning_rate(const TrainingConfig& config, int64_t d_model, int64_t step, int64_t num_reductions);

}  // namespace transformer
