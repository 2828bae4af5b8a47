#include "training/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace transformer {
namespace {

/// How much of the peak rate is left after the warm-up, from 1 to 0.
double decay(const TrainingConfig& config, int64_t step, int64_t num_reductions) {
  const auto steps = static_cast<double>(step), warmup = static_cast<double>(config.warmup_steps);
  const double progress = std::min(1.0, (steps - warmup) / (static_cast<double>(config.train_steps) - warmup));
  switch (config.schedule) {
    case Schedule::inverse_sqrt:
      return std::sqrt(warmup / steps);
    case Schedule::linear:
      return 1 - progress;
    case Schedule::cosine:
      return 0.5 * (1 + std::cos(std::numbers::pi * progress));
    case Schedule::plateau:
      return std::pow(config.plateau_factor, static_cast<double>(num_reductions));
    case Schedule::noam:
    case Schedule::constant:
      break;
  }
  return 1;
}

}  // namespace

double noam(int64_t step, int64_t d_model, int64_t warmup_steps) {
  const auto n = static_cast<double>(step);
  return std::pow(static_cast<double>(d_model), -0.5) *
         std::min(std::pow(n, -0.5), n * std::pow(static_cast<double>(warmup_steps), -1.5));
}

double learning_rate(const TrainingConfig& config, int64_t d_model, int64_t step, int64_t num_reductions) {
  if (config.schedule == Schedule::noam) {
    return config.learning_rate_scale * noam(step, d_model, config.warmup_steps);
  }
  const double peak = config.learning_rate.value();
  if (step <= config.warmup_steps) return peak * static_cast<double>(step) / static_cast<double>(config.warmup_steps);
  return peak * decay(config, step, num_reductions);
}

}  // namespace transformer
