#include "training/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "training/learning_rate.h"
#include "training/memory_estimate.h"

namespace transformer {
namespace {

constexpr int kMaxSkippedInARow = 10;

}  // namespace

DeviceUse device_use(torch::Device device, int64_t device_tokens) {
  static constexpr int64_t kStepsAheadOfGpu = 2;
  if (!device.is_cpu()) return {device_tokens, kStepsAheadOfGpu};
  return {.device_tokens = device_tokens, .micro_batch_multiple = kMicroBatchMultiple};
}

Trainer::Trainer(Replica& replica, BatchSampler sampler, SentencePairs& pairs, const TrainingConfig& config,
                 const DeviceUse& use, TrainingState& state)
    : replica_(replica), sampler_(std::move(sampler)), pairs_(pairs), config_(config), use_(use), state_(state) {
  state_.epochs = sampler_.epochs();
}

double Trainer::learning_rate_of_step(int64_t step) const {
  return learning_rate(config_, replica_.model->config().d_model, step, state_.validations.num_reductions);
}

StepBatch Trainer::next_batch() {
  const std::vector<int64_t> pairs = sampler_.next();
  pairs_.begin_step(pairs, state_.step + 1);
  StepBatch batch = make_step_batch(pairs_, pairs, use_.device_tokens, group(), use_.micro_batch_multiple);
  log_debug("step {}: {} pairs in {} micro-batches", state_.step + 1, batch.pairs.size(), batch.micro_batches.size());
  return batch;
}

void Trainer::launch_step() {
  const auto start = Clock::now();
  const StepBatch batch = next_batch();
  const int64_t step = state_.step + 1;
  LaunchedStep launched = train_step_with_retry(replica_, pairs_, batch, config_, step, learning_rate_of_step(step));
  state_.step = step;
  state_.position = sampler_.position();
  state_.epochs = sampler_.epochs();
  keep_halved_micro_batches(launched.halvings);
  running_.push_back({step, batch.pairs, std::move(launched), start});
}

CompletedStep Trainer::complete_step() {
  RunningStep running = std::move(running_.front());
  running_.pop_front();
  const StepResult result = running.launched.wait(group());
  const auto begin = std::max(running.start, last_completion_);
  last_completion_ = Clock::now();
  const double seconds = seconds_between(begin, last_completion_);
  state_.seconds += seconds;
  state_.since_log.seconds += seconds;
  if (!result.skipped) state_.since_log += result;
  state_.skipped_in_a_row = result.skipped ? state_.skipped_in_a_row + 1 : 0;
  state_.divergence_guard.add_step(result.loss_per_token());
  return {running.step, std::move(running.pairs), result, seconds};
}

/// After a step that ran out of memory, divides later batches into micro-batches as small as those that did fit.
void Trainer::keep_halved_micro_batches(int halvings) {
  if (halvings == 0) return;
  const int64_t tried = std::min(use_.device_tokens, config_.batch_tokens / group().size());
  use_.device_tokens = std::max<int64_t>(tried >> halvings, 1);
  log_warning("step {}: out of memory with micro-batches of {} tokens; training continues with micro-batches of {}",
              with_thousands(state_.step), with_thousands(tried), with_thousands(use_.device_tokens));
}

void Trainer::check_loss(const CompletedStep& completed, const RunFiles& run) const {
  const std::string step = with_thousands(completed.step);
  if (completed.result.skipped && group().is_first()) {
    log_warning("step {}: loss or gradient is not finite; the step was skipped", step);
  }
  const DivergenceGuard& guard = state_.divergence_guard;
  if (state_.skipped_in_a_row >= kMaxSkippedInARow) {
    group().fail_together(fmt::format(
        "step {}: loss or gradient was not finite in {} steps in a row; the last one had the lines {} of the training "
        "text (counted through all files of data.train); check them, or {}",
        step, kMaxSkippedInARow, line_numbers(pairs_, completed.pairs),
        advice_after(completed.step, std::max(state_.skipped_in_a_row, guard.high_steps()), run)));
  }
  if (guard.has_diverged()) {
    group().fail_together(fmt::format(
        "step {}: training has diverged: in the last {} steps, the loss was more than {:g} times its usual value of "
        "{:.4g}, and it is now {:.4g}; {}",
        step, guard.high_steps(), DivergenceGuard::kHighFactor, guard.usual_loss(), completed.result.loss_per_token(),
        advice_after(completed.step, guard.high_steps(), run)));
  }
}

/// What to do after the loss was too high, or not finite, in the last `num_bad_steps` steps up to `step`. The loss of a
/// step is that of the parameters before the step, so the parameters were still good two steps before the first bad
/// loss.
std::string Trainer::advice_after(int64_t step, int64_t num_bad_steps, const RunFiles& run) const {
  const auto good = run.newest_checkpoint_up_to(step - num_bad_steps - 1);
  return fmt::format(
      "train again with a lower {} or a larger training.warmup_steps, in another training.directory or with "
      "--overwrite; {}",
      config_.schedule == Schedule::noam ? "training.learning_rate_scale" : "training.learning_rate",
      good ? "the last good checkpoint is " + *good : "there is no checkpoint from before");
}

}  // namespace transformer
