#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/clock.h"
#include "data/batch_sampler.h"
#include "data/sentence_pairs.h"
#include "model/run_files.h"
#include "training/checkpoint.h"
#include "training/replica.h"
#include "training/train_step.h"
#include "training/training_config.h"

namespace transformer {

struct CompletedStep {
  int64_t step;
  std::vector<int64_t> pairs;  // as indices of the corpus
  StepResult result;
  /// Time until its completion, from when its batch was drawn or, if that is later, the previous step was complete.
  double seconds;
};

/// How training uses a device.
struct DeviceUse {
  int64_t device_tokens;  // source tokens, and target tokens, of a micro-batch
  /// How many further steps are launched before the result of a step is read, so that a GPU never waits for the host.
  int64_t steps_ahead = 0;
  /// Each step has a multiple of this number of micro-batches, which some numbers of workers divide equally.
  int64_t micro_batch_multiple = 1;
};

/// How training uses this device, with this micro-batch size.
DeviceUse device_use(torch::Device device, int64_t device_tokens);

/// Takes the steps of training, which the loop in TrainingRun calls one after the other. A step is running from its
/// launch until its result is read.
class Trainer {
 public:
  /// Continues at `state` and keeps it up to date. `sampler`, which begins at the state's position, chooses the
  /// sentence pairs of each step; `pairs` has their tokens. The references must outlive the trainer.
  Trainer(Replica& replica, BatchSampler sampler, SentencePairs& pairs, const TrainingConfig& config,
          const DeviceUse& use, TrainingState& state);

  /// Draws the batch of the next step and launches the step, without waiting for a GPU. If memory runs out, this step
  /// and those after it have smaller micro-batches.
  void launch_step();
  /// Waits for the oldest running step.
  CompletedStep complete_step();
  int64_t num_running() const { return std::ssize(running_); }
  /// How many steps may be running when the next one is launched.
  int64_t steps_ahead() const { return use_.steps_ahead; }

  /// Throws Error, and LostConnection on ranks other than 0, if this step is the last of ten skipped steps in a row, or
  /// if the loss shows that training has diverged (DivergenceGuard). The message names the last good checkpoint of
  /// `run`.
  void check_loss(const CompletedStep& completed, const RunFiles& run) const;

  /// The learning rate of the step that was launched last.
  double learning_rate_of_last_step() const { return learning_rate_of_step(state_.step); }
  int64_t device_tokens() const { return use_.device_tokens; }

 private:
  /// A step that was launched and whose result has not been read yet.
  struct RunningStep {
    int64_t step;
    std::vector<int64_t> pairs;
    LaunchedStep launched;
    Clock::time_point start;  // before its batch was drawn
  };

  const ProcessGroup& group() const { return replica_.parallel.group(); }
  double learning_rate_of_step(int64_t step) const;
  StepBatch next_batch();
  void keep_halved_micro_batches(int halvings);
  std::string advice_after(int64_t step, int64_t num_bad_steps, const RunFiles& run) const;

  Replica& replica_;
  BatchSampler sampler_;
  SentencePairs& pairs_;
  const TrainingConfig& config_;
  DeviceUse use_;  // smaller micro-batches after memory ran out
  TrainingState& state_;
  std::deque<RunningStep> running_;  // a GPU completes them one after the other
  Clock::time_point last_completion_;
};

}  // namespace transformer
