#pragma once

#include <cstdint>
#include <optional>

#include "training/training_config.h"

namespace transformer {

/// What a run remembers of its validations, for `training.patience` and the schedule `plateau`. A validation is better
/// than another if its `training.best_by` is (`lower_is_better`); one that is as good as the best is not better.
struct ValidationHistory {
  std::optional<double> best{};  // nullopt before the first validation whose value is a number
  int64_t since_best = 0;        // validations since the best one, or since the run began if there is none
  int64_t since_reduction = 0;   // validations since the best one or the last reduction, whichever is later
  int64_t num_reductions = 0;    // of the learning rate

  /// Adds the value of the next validation; NaN is worse than every number. Returns whether its model is the best so
  /// far. BLEU or chrF of 0, with which no word is right, is never the best value: before the first one above 0, each
  /// newer model is the best, and the validation does not count.
  bool add(double value, const TrainingConfig& config);
};

}  // namespace transformer
