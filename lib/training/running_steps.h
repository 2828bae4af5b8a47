#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "training/train_step.h"

namespace transformer {

/// A step that was launched and whose result has not been read yet.
struct RunningStep {
  int64_t step;
  std::vector<int64_t> pairs;
  LaunchedStep launched;
  Clock::time_point start;  // before its batch was drawn
};

struct CompletedStep {
  int64_t step;
  std::vector<int64_t> pairs;
  StepResult result;
  double seconds;
};

/// The launched steps, which a GPU completes one after the other while the host launches the next ones.
class RunningSteps {
 public:
  void add(RunningStep step) { steps_.push_back(std::move(step)); }
  int64_t size() const { return std::ssize(steps_); }

  /// Waits until the oldest step is complete. Its time runs from its start, or from the completion of the step before
  /// if that is later.
  CompletedStep complete_oldest(const ProcessGroup& group);

 private:
  std::deque<RunningStep> steps_;
  Clock::time_point last_completion_;
};

}  // namespace transformer
