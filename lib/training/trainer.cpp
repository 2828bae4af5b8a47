#include "training/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/signals.h"
#include "data/batch_sampler.h"
#include "training/learning_rate.h"

namespace transformer {
namespace {

/// Stop and save requests, combined over all ranks so that every rank acts after the same step.
struct Requests {
  bool stop, save;
};

Requests combine_over_ranks(const Requests& own, const ProcessGroup& group) {
  const auto sums = group.sum({own.stop ? 1.0 : 0.0, own.save ? 1.0 : 0.0});
  return {sums[0] > 0, sums[1] > 0};
}

/// The line numbers of the first pairs in the training text, for a message.
std::string line_numbers(const Corpus& corpus, const std::vector<int64_t>& pairs) {
  static constexpr size_t kMaxShown = 10;
  std::vector<std::string> lines;
  for (const int64_t pair : pairs) lines.push_back(std::to_string(corpus[pair].line));
  return enumeration(lines, "and", kMaxShown);
}

/// A step that was launched and whose result has not been read yet.
struct RunningStep {
  int64_t step;
  std::vector<int64_t> pairs;
  LaunchedStep launched;
  Clock::time_point start;  // before its batch was drawn
};

/// The training loop: `run` names its parts in the order in which they run, the members are its state.
class Trainer {
 public:
  Trainer(const Replica& replica, const Corpus& corpus, const TrainingConfig& config, const DeviceUse& use,
          TrainingState& state, const TrainingHooks& hooks, SegmentationSampler* segmentations)
      : replica_(replica),
        corpus_(corpus),
        segmentations_(segmentations),
        config_(config),
        hooks_(hooks),
        sampler_(corpus, config.batch_tokens, static_cast<uint64_t>(config.seed), state.position),
        use_(use),
        state_(state),
        saved_step_(state.step) {
    state_.epochs = sampler_.epochs();
  }

  void run();
  const DeviceUse& use() const { return use_; }

 private:
  const ProcessGroup& group() const { return replica_.parallel.group(); }

  bool is_time_up() const { return config_.max_hours && seconds_since(kProcessStart) > 3600 * *config_.max_hours; }
  bool wants_to_stop() const { return stop_requested() || is_time_up(); }
  bool any_rank_stops() const { return combine_over_ranks({.stop = wants_to_stop(), .save = false}, group()).stop; }

  const SentencePairs& sentence_pairs() const {
    return segmentations_ ? static_cast<const SentencePairs&>(*segmentations_) : corpus_;
  }

  double learning_rate_of_step(int64_t step) const;
  /// The indices of the next step's pairs, whose segmentations are sampled with subword regularization.
  std::vector<int64_t> next_pairs();
  StepBatch next_batch();
  void launch_step();
  CompletedStep wait_for_oldest_step();
  void complete_oldest_step();
  void complete_all_steps() {
    while (!running_.empty()) complete_oldest_step();
  }
  void keep_halved_micro_batches(int halvings);
  void check_skipped_steps(const CompletedStep& completed);
  void check_divergence(const CompletedStep& completed) const;
  std::string advice_after(int64_t step, int64_t num_bad_steps) const;

  bool is_last_step() const { return is_finished(state_, config_); }
  bool is_due(std::optional<int64_t> every) const { return every && state_.step % *every == 0; }
  bool is_log_due() const { return is_due(config_.log_every) || is_last_step(); }
  bool is_validation_due() const {
    return config_.validate_every && (is_due(config_.validate_every) || is_last_step());
  }
  bool is_checkpoint_due() const;

  void log();
  void validate();
  void save();

  const Replica& replica_;
  const Corpus& corpus_;
  SegmentationSampler* segmentations_;  // null without subword regularization
  const TrainingConfig& config_;
  const TrainingHooks& hooks_;
  BatchSampler sampler_;
  DeviceUse use_;  // smaller micro-batches after memory ran out

  TrainingState& state_;
  int64_t saved_step_;
  std::deque<RunningStep> running_;  // a GPU completes them one after the other
  Clock::time_point last_completion_;
  Clock::time_point last_save_ = Clock::now();
};

void Trainer::run() {
  replica_.model->train();
  set_stop_message("stopping after this step");
  bool stop = any_rank_stops();
  while (!is_finished(state_, config_) && !stop) {
    launch_step();
    while (std::ssize(running_) > use_.steps_ahead) complete_oldest_step();

    if (is_log_due()) log();
    if (is_validation_due()) validate();
    const Requests requests =
        combine_over_ranks({.stop = wants_to_stop(), .save = is_checkpoint_due() || save_requested()}, group());
    stop = requests.stop;
    if (requests.save) {
      save();
      stop = any_rank_stops();  // also if the signal came while the checkpoint was written
    }
  }
  if (state_.step != saved_step_) save();
}

std::vector<int64_t> Trainer::next_pairs() {
  std::vector<int64_t> pairs = sampler_.next();
  if (segmentations_) segmentations_->sample(pairs, state_.step + 1);
  return pairs;
}

StepBatch Trainer::next_batch() {
  StepBatch batch = make_step_batch(sentence_pairs(), next_pairs(), use_.device_tokens, group());
  log_debug("step {}: {} pairs in {} micro-batches", state_.step + 1, batch.pairs.size(), batch.micro_batches.size());
  return batch;
}

double Trainer::learning_rate_of_step(int64_t step) const {
  return learning_rate(config_, replica_.model->config().d_model, step, state_.validations.num_reductions);
}

void Trainer::launch_step() {
  const auto start = Clock::now();
  const StepBatch batch = next_batch();
  const int64_t step = state_.step + 1;
  LaunchedStep launched =
      train_step_with_retry(replica_, sentence_pairs(), batch, config_, step, learning_rate_of_step(step));
  state_.step = step;
  state_.position = sampler_.position();
  state_.epochs = sampler_.epochs();
  hooks_.after_update();
  keep_halved_micro_batches(launched.halvings);
  running_.push_back({step, batch.pairs, std::move(launched), start});
}

CompletedStep Trainer::wait_for_oldest_step() {
  RunningStep running = std::move(running_.front());
  running_.pop_front();
  const StepResult result = running.launched.wait(group());
  const auto begin = std::max(running.start, last_completion_);
  last_completion_ = Clock::now();
  return {running.step, std::move(running.pairs), result, seconds_between(begin, last_completion_)};
}

void Trainer::complete_oldest_step() {
  const CompletedStep completed = wait_for_oldest_step();
  state_.seconds += completed.seconds;
  state_.since_log.seconds += completed.seconds;
  if (!completed.result.skipped) state_.since_log += completed.result;
  state_.divergence_guard.add_step(completed.result.loss_per_token());
  hooks_.step(completed);
  check_skipped_steps(completed);
  check_divergence(completed);
}

/// After a step that ran out of memory, divides later batches into micro-batches as small as those that did fit.
void Trainer::keep_halved_micro_batches(int halvings) {
  if (halvings == 0) return;
  const int64_t tried = std::min(use_.device_tokens, config_.batch_tokens / group().size());
  use_.device_tokens = std::max<int64_t>(tried >> halvings, 1);
  log_warning("step {}: out of memory with micro-batches of {} tokens; training continues with micro-batches of {}",
              with_thousands(state_.step), with_thousands(tried), with_thousands(use_.device_tokens));
}

void Trainer::check_skipped_steps(const CompletedStep& completed) {
  static constexpr int kMaxSkippedInARow = 10;
  state_.skipped_in_a_row = completed.result.skipped ? state_.skipped_in_a_row + 1 : 0;
  if (!completed.result.skipped) return;
  if (group().is_first()) {
    log_warning("step {}: loss or gradient is not finite; the step was skipped", with_thousands(completed.step));
  }
  if (state_.skipped_in_a_row < kMaxSkippedInARow) return;
  group().fail_together(fmt::format(
      "step {}: loss or gradient was not finite in {} steps in a row; the last one had the lines {} of the training "
      "text (counted through all files of data.train); check them, or {}",
      with_thousands(completed.step), kMaxSkippedInARow, line_numbers(corpus_, completed.pairs),
      advice_after(completed.step, std::max(state_.skipped_in_a_row, state_.divergence_guard.high_steps()))));
}

void Trainer::check_divergence(const CompletedStep& completed) const {
  const DivergenceGuard& guard = state_.divergence_guard;
  if (!guard.has_diverged()) return;
  group().fail_together(fmt::format(
      "step {}: training has diverged: in the last {} steps, the loss was more than {:g} times its usual value of "
      "{:.4g}, and it is now {:.4g}; {}",
      with_thousands(completed.step), guard.high_steps(), DivergenceGuard::kHighFactor, guard.usual_loss(),
      completed.result.loss_per_token(), advice_after(completed.step, guard.high_steps())));
}

/// What to do after the loss was too high, or not finite, in the last `num_bad_steps` steps up to `step`. The loss of a
/// step is that of the parameters before the step, so the parameters were still good two steps before the first bad
/// loss.
std::string Trainer::advice_after(int64_t step, int64_t num_bad_steps) const {
  const auto good = hooks_.newest_checkpoint_up_to(step - num_bad_steps - 1);
  return fmt::format(
      "train again with a lower {} or a larger training.warmup_steps, in another training.directory or with "
      "--overwrite; {}",
      config_.schedule == Schedule::noam ? "training.learning_rate_scale" : "training.learning_rate",
      good ? "the last good checkpoint is " + *good : "there is no checkpoint from before");
}

bool Trainer::is_checkpoint_due() const {
  const auto& minutes = config_.checkpoint_minutes;
  return is_due(config_.checkpoint_every) || (minutes && seconds_since(last_save_) > 60 * *minutes);
}

void Trainer::log() {
  complete_all_steps();
  if (state_.since_log.target_tokens == 0) return;  // all steps were skipped
  hooks_.log(std::exchange(state_.since_log, {}), learning_rate_of_step(state_.step));
}

void Trainer::validate() {
  complete_all_steps();
  set_stop_message("stopping after this validation");
  const double value = hooks_.validate();
  set_stop_message("stopping after this step");
  if (state_.validations.add(value, config_)) hooks_.save_best();
  replica_.model->train();  // validation leaves it in evaluation mode
}

void Trainer::save() {
  complete_all_steps();
  hooks_.save();
  clear_save_request();  // also one that came meanwhile: this checkpoint fulfils it
  last_save_ = Clock::now();
  saved_step_ = state_.step;
}

}  // namespace

DeviceUse device_use(torch::Device device, int64_t device_tokens) {
  static constexpr int64_t kStepsAheadOfGpu = 2;
  return {device_tokens, device.is_cpu() ? 0 : kStepsAheadOfGpu};
}

std::optional<EndReason> end_reason(const TrainingState& state, const TrainingConfig& config) {
  if (config.patience && state.validations.since_best >= *config.patience) return EndReason::patience;
  if (state.step >= config.train_steps) return EndReason::train_steps;
  if (config.max_epochs && state.epochs >= static_cast<double>(*config.max_epochs)) return EndReason::max_epochs;
  return std::nullopt;
}

DeviceUse train(const Replica& replica, const Corpus& corpus, const TrainingConfig& config, const DeviceUse& use,
                TrainingState& state, const TrainingHooks& hooks, SegmentationSampler* segmentations) {
  Trainer trainer(replica, corpus, config, use, state, hooks, segmentations);
  trainer.run();
  return trainer.use();
}

}  // namespace transformer
