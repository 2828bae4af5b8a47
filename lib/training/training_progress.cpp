#include "training/training_progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace transformer {
namespace {

/// How many times work is still due after `step`, if it is due at every multiple of `every` and at `last`.
int64_t num_due(int64_t every, int64_t step, int64_t last) {
  return last / every - step / every + (last % every == 0 ? 0 : 1);
}

}  // namespace

void TrainingProgress::add_step(int64_t target_tokens, double seconds) {
  static constexpr double kDecay = 0.95;  // the last 20 steps have about two thirds of the weight
  steps_ = kDecay * steps_ + 1;
  tokens_ = kDecay * tokens_ + static_cast<double>(target_tokens);
  seconds_ = kDecay * seconds_ + seconds;
}

void TrainingProgress::set_epochs(int64_t step, double epochs) {
  if (!config_.max_epochs || epochs <= 0) return;
  const double steps = static_cast<double>(step) * static_cast<double>(*config_.max_epochs) / epochs;
  last_step_ = std::min(config_.train_steps, std::max(step, static_cast<int64_t>(std::ceil(steps))));
}

double TrainingProgress::tokens_per_second() const { return seconds_ > 0 ? tokens_ / seconds_ : 0; }

double TrainingProgress::seconds_left(int64_t step) const {
  const int64_t last = last_step_;
  if (steps_ == 0 || step >= last) return 0;
  const double step_seconds = static_cast<double>(last - step) * seconds_ / steps_;
  const int64_t validations = config_.validate_every ? num_due(*config_.validate_every, step, last) : 0;
  const int64_t checkpoints = num_due(config_.checkpoint_every.value_or(last), step, last);
  const double minutes = config_.checkpoint_minutes.value_or(0);
  const double by_time = minutes > 0 ? step_seconds / (60 * minutes) : 0;
  return step_seconds + static_cast<double>(validations) * validation_seconds_ +
         std::max(static_cast<double>(checkpoints), by_time) * checkpoint_seconds_;
}

std::string status_text(const TrainingStatus& status) {
  std::string text = fmt::format("step {} of {} ({} %)", with_thousands(status.step), with_thousands(status.last_step),
                                 100 * status.step / status.last_step);
  if (status.tokens_per_second == 0) return text;
  text += fmt::format("  {} left  epoch {:.1f}  {} target tokens/s", human_duration(status.seconds_left), status.epochs,
                      with_thousands(static_cast<int64_t>(status.tokens_per_second)));
  return status.memory_bytes > 0 ? text + "  " + human_bytes(status.memory_bytes) : text;
}

}  // namespace transformer
