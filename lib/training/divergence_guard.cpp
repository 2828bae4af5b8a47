#include "training/divergence_guard.h"

#include <algorithm>
#include <cmath>

namespace transformer {
namespace {

/// A loss below this many nats is never too high: the loss of a model that has learned a small corpus by heart is close
/// to 0, and may triple without harm.
constexpr double kAlwaysUsual = 1;
/// Weight of a step in the moving average, which is therefore over about 1,000 steps.
constexpr double kStepWeight = 0.001;

}  // namespace

void DivergenceGuard::add_step(double loss) {
  if (is_high(loss)) {
    ++high_steps_;
    return;
  }
  high_steps_ = 0;
  usual_loss_ = usual_loss_ == 0 ? loss : usual_loss_ + kStepWeight * (loss - usual_loss_);
}

bool DivergenceGuard::is_high(double loss) const {
  if (!std::isfinite(loss)) return true;
  return usual_loss_ > 0 && loss > std::max(kHighFactor * usual_loss_, kAlwaysUsual);
}

}  // namespace transformer
