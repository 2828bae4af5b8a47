#include "training/due.h"

#include <fmt/core.h>

#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catch.h"

namespace transformer {
namespace {

using Strings = std::vector<std::string>;

/// What is due after each step from `start` on, such as "save 3", if each step takes `seconds_per_step`.
Strings due_after(const TrainingConfig& config, int64_t start = 0, double seconds_per_step = 0.001) {
  TrainingState state;
  state.step = start;
  double since_save = 0;
  Strings due;
  while (!is_finished(state, config)) {
    ++state.step;
    since_save += seconds_per_step;
    if (is_log_due(state, config)) due.push_back(fmt::format("log {}", state.step));
    if (is_validation_due(state, config)) due.push_back(fmt::format("validate {}", state.step));
    if (!is_checkpoint_due(state, config, since_save)) continue;
    due.push_back(fmt::format("save {}", state.step));
    since_save = 0;
  }
  return due;
}

/// The state at the end of a run whose validations have these values.
TrainingState end_of_run(const TrainingConfig& config, const std::vector<double>& values) {
  TrainingState state;
  for (size_t i = 0; !is_finished(state, config); ++i) {
    state.step += *config.validate_every;
    state.validations.add(values.at(i), config);
  }
  return state;
}

}  // namespace

TEST_CASE("logs, validations and checkpoints are due after every so many steps, the first two also at the end") {
  TrainingConfig config;
  config.train_steps = 7;
  config.log_every = 3;
  config.validate_every = 2;
  config.checkpoint_every = 3;
  config.checkpoint_minutes.reset();
  CHECK(due_after(config) ==
        Strings{"validate 2", "log 3", "save 3", "validate 4", "log 6", "validate 6", "save 6", "log 7", "validate 7"});
  CHECK(due_after(config, 5) == Strings{"log 6", "validate 6", "save 6", "log 7", "validate 7"});
  CHECK(due_after(config, 7).empty());
  config.train_steps = 6;
  CHECK(due_after(config, 5) == Strings{"log 6", "validate 6", "save 6"});
}

TEST_CASE("validation is never due without validate_every, and checkpoints may be due by time") {
  TrainingConfig config;
  config.train_steps = 3;
  config.log_every = 100;
  config.validate_every.reset();
  config.checkpoint_every.reset();
  config.checkpoint_minutes.reset();
  CHECK(due_after(config) == Strings{"log 3"});
  config.checkpoint_minutes = 0;
  CHECK(due_after(config) == Strings{"save 1", "save 2", "log 3", "save 3"});
  config.checkpoint_minutes = 1.0 / 60;
  CHECK(due_after(config, 0, 0.6) == Strings{"save 2", "log 3"});
}

TEST_CASE("a run is finished when patience runs out") {
  TrainingConfig config;
  config.validate_every = 2;
  config.patience = 3;
  config.train_steps = 100;
  const TrainingState state = end_of_run(config, {5, 4, 4.5, 3, 3.1, 3.2, 3.3, 1});
  CHECK(state.step == 14);  // after 7 validations
  CHECK(state.validations.best == 3);
  CHECK(end_reason(state, config) == EndReason::patience);
  const double nan = std::numeric_limits<double>::quiet_NaN();  // a validation without a better value
  const TrainingState diverged = end_of_run(config, {nan, 5, nan, 4, nan, nan, nan, 1});
  CHECK(diverged.step == 14);
  CHECK(diverged.validations.best == 4);
}

TEST_CASE("time is up when max_hours have passed since the process started") {
  TrainingConfig config;
  CHECK_FALSE(is_time_up(config));
  config.max_hours = (seconds_since(kProcessStart) + 100) / 3600;
  CHECK_FALSE(is_time_up(config));
  config.max_hours = 0;
  CHECK(is_time_up(config));
}

}  // namespace transformer
