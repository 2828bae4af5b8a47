#pragma once

#include <cstdint>

namespace transformer {

/// Detects that training has diverged: for kMaxHighSteps steps in a row, the loss per target token was NaN, infinite,
/// or more than both 1 nat and kHighFactor times its usual value (Deviation D18). The usual value is an exponential
/// moving average over steps with a usual loss; other steps do not change it, so that it does not follow a loss that
/// diverges.
class DivergenceGuard {
 public:
  static constexpr int64_t kMaxHighSteps = 200;
  static constexpr double kHighFactor = 3;

  DivergenceGuard() = default;
  /// Restores the state that a checkpoint holds: usual_loss() and high_steps().
  DivergenceGuard(double usual_loss, int64_t high_steps) : usual_loss_(usual_loss), high_steps_(high_steps) {}

  /// Adds the loss per target token of the next step.
  void add_step(double loss);

  /// The moving average of the loss; 0 before the first step with a finite loss.
  double usual_loss() const { return usual_loss_; }
  /// The number of latest steps in a row whose loss was too high.
  int64_t high_steps() const { return high_steps_; }
  bool has_diverged() const { return high_steps_ >= kMaxHighSteps; }

 private:
  bool is_high(double loss) const;

  double usual_loss_ = 0;
  int64_t high_steps_ = 0;
};

}  // namespace transformer
