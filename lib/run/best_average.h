#pragma once

#include <torch/types.h>

#include <string>

#include "model/model_file.h"

namespace transformer {

/// The model of best_average, and what it was made of: the file best.safetensors, or options of `average-checkpoints`.
struct BestAverage {
  ModelFile model;
  std::string made_of;
};

/// The model that translates the first validation set of the run's config best, by BLEU or, if `training.best_by` says
/// so, by chrF or TER: that of best.safetensors, the newest checkpoint, or one of several averages of the newest
/// checkpoints, of those with the best validations, and of the newest moving average. Logs each of them with its score.
/// Throws UsageError if the config has no validation text, and Error if its files cannot be read, the run has no
/// checkpoints, or a checkpoint is damaged.
BestAverage best_average(const std::string& run_directory, torch::Device device);

}  // namespace transformer
