#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/batch_sampler.h"
#include "model/model_file.h"
#include "training/divergence_guard.h"
#include "training/token_loss.h"
#include "training/validation_history.h"

namespace transformer {

/// Sums over training steps, of all ranks. A skipped step only adds its seconds.
struct StepSums : TokenLoss {
  double seconds = 0;
};

/// What a training run needs besides the model and the optimizer to resume as if it had never stopped. It needs no
/// state of a random-number generator, because dropout masks depend on seed, step and sentence pair only.
struct TrainingState {
  int64_t step = 0;
  int64_t corpus_checksum = 0;  // `position` is valid in this corpus only
  SamplerPosition position;
  double epochs = 0;   // passes through the corpus; follows from `position` and is not stored
  double seconds = 0;  // spent in training steps so far
  StepSums since_log;  // of the steps after the latest training line of the metrics
  ValidationHistory validations{};
  int64_t skipped_in_a_row = 0;  // steps up to this one
  DivergenceGuard divergence_guard{};
};

/// A model file that also contains the optimizer's moments and the training state. Every function that reads a model
/// file reads a checkpoint too.
struct Checkpoint {
  ModelFile model;
  NamedTensors optimizer;
  NamedTensors moving_average{};  // of the parameters; empty without `training.ema_decay`
  TrainingState state{};
};

/// Throws DamagedFile if the file's name is that of a checkpoint, but of another step than the archive holds.
void check_step_of_name(const Archive& archive, const std::string& path);

Archive to_archive(const Checkpoint& checkpoint);
/// Throws Error if the file cannot be written; then an earlier file of this name stays as it is.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
/// Throws Error if the file is missing or a model without the optimizer's state, and DamagedFile if it is damaged or
/// its name is that of another step (check_step_of_name).
Checkpoint load_checkpoint(const std::string& path);

}  // namespace transformer
