#include "training/due.h"

#include "base/clock.h"

namespace transformer {
namespace {

bool is_multiple(int64_t step, std::optional<int64_t> every) { return every && step % *every == 0; }

}  // namespace

std::optional<EndReason> end_reason(const TrainingState& state, const TrainingConfig& config) {
  if (config.patience && state.validations.since_best >= *config.patience) return EndReason::patience;
  if (state.step >= config.train_steps) return EndReason::train_steps;
  if (config.max_epochs && state.epochs >= static_cast<double>(*config.max_epochs)) return EndReason::max_epochs;
  return std::nullopt;
}

bool is_time_up(const TrainingConfig& config) {
  return config.max_hours && seconds_since(kProcessStart) > 3600 * *config.max_hours;
}

bool is_log_due(const TrainingState& state, const TrainingConfig& config) {
  return is_multiple(state.step, config.log_every) || is_finished(state, config);
}

bool is_validation_due(const TrainingState& state, const TrainingConfig& config) {
  return config.validate_every && (is_multiple(state.step, config.validate_every) || is_finished(state, config));
}

bool is_checkpoint_due(const TrainingState& state, const TrainingConfig& config, double seconds) {
  const auto& minutes = config.checkpoint_minutes;
  return is_multiple(state.step, config.checkpoint_every) || (minutes && seconds > 60 * *minutes);
}

}  // namespace transformer
