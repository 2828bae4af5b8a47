#pragma once

#include <cstdint>
#include <string>

#include "training/training_config.h"

namespace transformer {

/// Measures how fast training proceeds and estimates the time that it still takes.
class TrainingProgress {
 public:
  explicit TrainingProgress(const TrainingConfig& config) : config_(config), last_step_(config.train_steps) {}

  void add_step(int64_t target_tokens, double seconds);
  /// The duration of the latest validation, and of the latest checkpoint; 0, the initial value, if it is not known.
  void set_validation_seconds(double seconds) { validation_seconds_ = seconds; }
  void set_checkpoint_seconds(double seconds) { checkpoint_seconds_ = seconds; }

  /// The number of passes through the corpus after `step`, from which the last step follows with `max_epochs`.
  void set_epochs(int64_t step, double epochs);

  /// The step with which training ends, unless patience ends it earlier; with `max_epochs` an estimate.
  int64_t last_step() const { return last_step_; }
  /// Target tokens per second of the recent steps; 0 before the first step.
  double tokens_per_second() const;
  /// The time from the end of `step` to the end of the last step, at the speed of the recent steps and with the
  /// validations and checkpoints that are due after `step`; 0 before the first call of `add_step`.
  double seconds_left(int64_t step) const;

 private:
  TrainingConfig config_;
  int64_t last_step_;
  double steps_ = 0, tokens_ = 0, seconds_ = 0;  // sums in which older steps count less
  double validation_seconds_ = 0, checkpoint_seconds_ = 0;
};

/// What the status line shows of training.
struct TrainingStatus {
  int64_t step = 0, last_step = 0;
  double seconds_left = 0, epochs = 0, tokens_per_second = 0;
  int64_t memory_bytes = 0;  // 0: not known
};

/// "step 1,234 of 8,000 (15 %)  1 h 42 min left  epoch 3.2  6,450 target tokens/s  1.2 GB". The most important comes
/// first, because a narrow terminal cuts the end. Before the first step of this process, only the step.
std::string status_text(const TrainingStatus& status);

}  // namespace transformer
