#pragma once

#include <limits>
#include <string>

#include "data/batch_sampler.h"
#include "model/model_file.h"

namespace transformer {

/// What a training run needs beyond the model to go on as if it had never stopped. There are no random states: dropout
/// masks follow from (seed, step, sentence pair) alone.
struct TrainingState {
  int64_t step = 0;
  int64_t corpus_checksum = 0;  // `position` means something in this corpus only
  SamplerPosition position;
  double seconds = 0;  // spent in training steps so far
  double best_valid_loss = std::numeric_limits<double>::infinity();
  int64_t validations_since_best = 0;  // what patience goes by
};

/// A checkpoint is a model file with the optimizer's moments and the training state added, so that everything that
/// takes a model takes a checkpoint.
struct Checkpoint {
  ModelFile model;
  NamedTensors optimizer;
  TrainingState state;
};

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
/// Throws Error.
Checkpoint load_checkpoint(const std::string& path);

}  // namespace transformer
