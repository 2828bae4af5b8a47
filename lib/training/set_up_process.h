#pragma once

#include "training/training_config.h"

namespace transformer {

/// Sets for the whole process how memory is allocated, which kernels are used, and TF32, as a training does.
void set_up_process(const TrainingConfig& config);

}  // namespace transformer
