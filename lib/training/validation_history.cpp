#include "training/validation_history.h"

namespace transformer {

bool ValidationHistory::add(double value, const TrainingConfig& config) {
  const bool is_number = value == value;
  const bool is_loss = config.best_by == ValidationMetric::loss;
  if (is_number && (!best || (is_loss ? value < *best : value > *best))) {
    best = value;
    since_best = since_reduction = 0;
    return true;
  }
  if (best && value == *best) return false;
  ++since_best;
  if (++since_reduction >= config.plateau_patience && config.schedule == Schedule::plateau) {
    ++num_reductions;
    since_reduction = 0;
  }
  return false;
}

}  // namespace transformer
