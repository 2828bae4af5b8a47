#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/segmentation_sampler.h"
#include "training/checkpoint.h"
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

/// Functions that training calls, so that it depends neither on text nor on files.
struct TrainingHooks {
  /// Called when the update of the parameters has been issued, also in a step that skips it. A GPU may not have
  /// computed it yet.
  std::function<void()> after_update = [] {};
  /// Called when a step is complete.
  std::function<void(const CompletedStep& completed)> step = [](const auto&) {};
  /// Called after every `log_every` steps and after the last one of `train_steps` or `max_epochs`, with the sums over
  /// the steps since the previous call, also if training was resumed in between, and the learning rate of the last
  /// step. Not called if all of these steps were skipped.
  std::function<void(const StepSums& sums, double learning_rate)> log = [](const auto&, double) {};
  /// Called after every `validate_every` steps and after the last one. Returns the value of `training.best_by`.
  std::function<double()> validate = [] { return 0.0; };
  /// Called after a validation that is the best so far.
  std::function<void()> save_best = [] {};
  /// Called when a checkpoint is due or requested (save_requested), and at the end if there is none of the last step.
  std::function<void()> save = [] {};
  /// Returns the file of the newest checkpoint of `step` or an earlier step, if there is one, for an error message.
  std::function<std::optional<std::string>(int64_t step)> newest_checkpoint_up_to = [](int64_t) {
    return std::nullopt;
  };
};

/// How training uses a device.
struct DeviceUse {
  int64_t device_tokens;  // source tokens, and target tokens, of a micro-batch
  /// How many further steps are launched before the result of a step is read, so that a GPU never waits for the host.
  /// Logging, validation and checkpoints wait for all of them.
  int64_t steps_ahead = 0;
};

/// How training uses this device, with this micro-batch size.
DeviceUse device_use(torch::Device device, int64_t device_tokens);

/// The key of `training` because of which a run is finished.
enum class EndReason { patience, train_steps, max_epochs };

/// Why training is finished, the first of several reasons in the order of EndReason; nullopt if it is not.
std::optional<EndReason> end_reason(const TrainingState& state, const TrainingConfig& config);

inline bool is_finished(const TrainingState& state, const TrainingConfig& config) {
  return end_reason(state, config).has_value();
}

/// Trains until it is finished, a stop is requested, or `training.max_hours` are over: draws a batch, takes a step, and
/// logs, validates and saves when these are due. Resumes at `state` and keeps it up to date. Throws Error, and
/// LostConnection on ranks other than 0, after ten skipped steps in a row, and when the loss shows that training has
/// diverged (DivergenceGuard). Each step trains on the segmentations that `segmentations` samples for it, if given, or
/// on those in the corpus. Returns how it used the device in the end: with smaller micro-batches, if memory ran out.
DeviceUse train(const Replica& replica, const Corpus& corpus, const TrainingConfig& config, const DeviceUse& use,
                TrainingState& state, const TrainingHooks& hooks, SegmentationSampler* segmentations = nullptr);

}  // namespace transformer
