#include "training/running_steps.h"

#include <algorithm>

namespace transformer {

CompletedStep RunningSteps::complete_oldest(const ProcessGroup& group) {
  RunningStep running = std::move(steps_.front());
  steps_.pop_front();
  const StepResult result = running.launched.wait(group);
  const auto begin = std::max(running.start, last_completion_);
  last_completion_ = Clock::now();
  return {running.step, std::move(running.pairs), result, seconds_between(begin, last_completion_)};
}

}  // namespace transformer
