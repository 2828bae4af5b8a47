#pragma once

#include <optional>
#include <utility>

#include "distributed/distributed_data_parallel.h"
#include "model/transformer.h"
#include "training/moving_average.h"
#include "training/optimizer.h"
#include "training/training_config.h"
#include "training/workers.h"

namespace transformer {

/// The copy of the model that this rank trains, with all that a training step updates besides its parameters.
struct Replica {
  /// All ranks of `group`, which must outlive the replica, make theirs together and begin with rank 0's parameters.
  Replica(Transformer network, const TrainingConfig& config, const ProcessGroup& group, int num_workers = 1)
      : model(std::move(network)),
        workers(model, num_workers),
        optimizer(*model, adam_options(config), config.shard_optimizer ? &group : nullptr, &workers.threads()),
        parallel(*model, group, config.gradient_compression) {
    if (config.ema_decay && group.is_first()) moving_average.emplace(*model, *config.ema_decay);
  }

  Transformer model;
  Workers workers;
  Adam optimizer;
  DistributedDataParallel parallel;
  std::optional<MovingAverage> moving_average;  // of rank 0, with `training.ema_decay`
};

}  // namespace transformer
