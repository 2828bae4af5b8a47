#include "training/validation_history.h"

#include <cmath>

namespace transformer {

bool ValidationHistory::add(double value, const TrainingConfig& config) {
  if (!best && !lower_is_better(config.best_by) && value == 0) return true;
  const bool is_better = !best || (lower_is_better(config.best_by) ? value < *best : value > *best);
  if (is_better && !std::isnan(value)) {
    best = value;
    since_best = since_reduction = 0;
    return true;
  }
  ++since_best;
  if (++since_reduction >= config.plateau_patience && config.schedule == Schedule::plateau) {
    ++num_reductions;
    since_reduction = 0;
  }
  return false;
}

}  // namespace transformer
