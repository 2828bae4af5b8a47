#pragma once

#include <torch/torch.h>

#include "distributed/process_group.h"
#include "model/model_config.h"
#include "training/training_config.h"

namespace transformer {

/// Tokens of a slice: `training.device_tokens`, or where that is null what fits the memory that the device has for this
/// rank.
int64_t choose_device_tokens(const ModelConfig& model, const TrainingConfig& training, int64_t vocabulary_size,
                             torch::Device device, const ProcessGroup& group);

}  // namespace transformer
