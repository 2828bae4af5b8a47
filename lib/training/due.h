#pragma once

#include <optional>

#include "training/checkpoint.h"
#include "training/training_config.h"

namespace transformer {

/// The key of `training` because of which a run is finished.
enum class EndReason { patience, train_steps, max_epochs };

/// Why training is finished, the first of several reasons in the order of EndReason; nullopt if it is not.
std::optional<EndReason> end_reason(const TrainingState& state, const TrainingConfig& config);

inline bool is_finished(const TrainingState& state, const TrainingConfig& config) {
  return end_reason(state, config).has_value();
}

/// Whether `training.max_hours` have passed since this process started.
bool is_time_up(const TrainingConfig& config);

/// Whether the losses are logged after step `state.step`: every `log_every` steps, and when training is finished.
bool is_log_due(const TrainingState& state, const TrainingConfig& config);
/// Whether the model is validated after this step: every `validate_every` steps, and when training is finished; never
/// without that key.
bool is_validation_due(const TrainingState& state, const TrainingConfig& config);
/// Whether a checkpoint is due after this step: every `checkpoint_every` steps, and after `checkpoint_minutes`.
/// `seconds` is the time since the last checkpoint or, before the first one, since training began.
bool is_checkpoint_due(const TrainingState& state, const TrainingConfig& config, double seconds);

}  // namespace transformer
