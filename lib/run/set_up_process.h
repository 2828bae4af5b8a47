#pragma once

#include "training/training_config.h"

namespace transformer {

/// What a training sets for the whole process: how memory is allocated, which kernels are used, TF32.
void set_up_process(const TrainingConfig& config);

}  // namespace transformer
