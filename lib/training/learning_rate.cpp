#include "training/learning_rate.h"

#include <algorithm>
#include <cmath>

namespace transformer {

double learning_rate(int64_t step, int64_t d_model, int64_t warmup_steps) {
  const auto n = static_cast<double>(step);
  return std::pow(static_cast<double>(d_model), -0.5) *
         std::min(std::pow(n, -0.5), n * std::pow(static_cast<double>(warmup_steps), -1.5));
}

}  // namespace transformer
