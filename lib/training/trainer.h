#pragma once

#include <functional>
#include <vector>

#include "data/batch.h"
#include "data/batch_sampler.h"
#include "distributed/data_parallel.h"
#include "model/transformer.h"
#include "ops/linear_cross_entropy.h"
#include "training/checkpoint.h"
#include "training/optimizer.h"
#include "training/training_config.h"

namespace transformer {

/// What one step did. Sums over its target tokens.
struct StepResult {
  double loss = 0;                     // label-smoothed
  double negative_log_likelihood = 0;  // unsmoothed
  int64_t target_tokens = 0;
  bool skipped = false;  // loss or gradient was not finite; the parameters are as before (Deviation D18)
  int halvings = 0;      // of this rank's slices, because memory ran out
};

/// Means over the target tokens of a corpus (Deviation D9).
struct Validation {
  double loss = 0, perplexity = 0;
};

/// What training needs from outside: it knows neither text nor files.
struct TrainingHooks {
  /// After every `log_every` steps: the sum of the steps since the last call, the seconds that they took, and the last
  /// one's learning rate.
  std::function<void(const StepResult& sum, double rate, double seconds)> log;
  /// After every `validate_every` steps and at the end. Returns the validation loss.
  std::function<double()> validate;
  /// When a checkpoint is due and at the end.
  std::function<void()> save;
};

/// The network that this rank trains, with what belongs to it.
struct Replica {
  Transformer& model;
  Adam& optimizer;
  DataParallel& parallel;
};

/// What this rank does in a step: its pairs of the corpus, in slices, and the target tokens of all ranks.
struct StepWork {
  std::vector<std::vector<int64_t>> slices;
  int64_t target_tokens = 0;
};

/// This rank's share of a step's pairs, cut into slices that the device takes.
StepWork make_work(const Corpus& corpus, const std::vector<int64_t>& pairs, int64_t device_tokens,
                   const ProcessGroup& group);

/// The loss of the pairs of these numbers with dropout, which follows from them and the seed.
LossSums slice_loss(Transformer& model, const Corpus& corpus, const std::vector<int64_t>& pairs,
                    const TrainingConfig& config, uint64_t seed);

/// One update (§5.1-§5.4): gradients of every slice added up over all ranks, then divided once by the target tokens of
/// the whole step (Deviation D5). `step` counts from 1. Where memory runs out, the slices are cut in two and
/// taken anew; of several ranks not in the backward pass of the last slice, which sums the gradients.
StepResult train_step(const Replica& replica, const Corpus& corpus, const StepWork& work, const TrainingConfig& config,
                      int64_t step);

/// Whether all steps are done or patience has ended.
bool is_finished(const TrainingState& state, const TrainingConfig& config);

/// Steps until `train_steps`, until patience ends, or until a stop is requested; `state` goes from where training
/// stands to where it ended. Throws Error after ten skipped steps in a row.
void train(const Replica& replica, const Corpus& corpus, const TrainingConfig& config, int64_t device_tokens,
           TrainingState& state, const TrainingHooks& hooks);

/// Mean losses over a corpus, without dropout.
Validation validation_loss(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                           int64_t device_tokens);

}  // namespace transformer
