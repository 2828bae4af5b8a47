#pragma once

#include <c10/core/Event.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "data/sentence_pairs.h"
#include "training/replica.h"
#include "training/token_loss.h"
#include "training/training_config.h"

namespace transformer {

/// The sentence pairs of one training step, as indices of the corpus.
struct StepBatch {
  std::vector<int64_t> pairs;  // of all ranks
  int64_t target_tokens = 0;   // of all ranks
  /// This rank's shard of the pairs, in parts that fit the device.
  std::vector<std::vector<int64_t>> micro_batches;
};

/// Divides the pairs of a step: over the ranks of `group`, and this rank's shard into micro-batches of at most
/// `device_tokens` source tokens and as many target tokens, whose number is a multiple of `multiple` (batch_evenly).
StepBatch make_step_batch(const SentencePairs& corpus, const std::vector<int64_t>& pairs, int64_t device_tokens,
                          const ProcessGroup& group, int64_t multiple = 1);

/// What one step did; the losses are those of all ranks.
struct StepResult : TokenLoss {
  bool skipped = false;  // the loss or the gradient was not finite; the parameters did not change (Deviation D18)
};

/// A step whose kernels a GPU may still have to run.
class LaunchedStep {
 public:
  /// `values`, on the device: StepResult's loss and negative_log_likelihood, and 1 if the step is skipped;
  /// [3] in fp64.
  LaunchedStep(const torch::Tensor& values, int64_t target_tokens);

  /// Waits until the step is complete.
  StepResult wait(const ProcessGroup& group) const;

  int halvings = 0;  // how often this rank halved its micro-batches because memory ran out

 private:
  torch::Tensor values_;  // in CPU memory
  std::optional<c10::Event> copied_;
  int64_t target_tokens_;
};

/// One training step (§5.1-§5.4). Adds up the gradients of all micro-batches of all ranks, each loss divided by the
/// number of target tokens in the whole step, so that the result does not depend on how the batch is divided
/// (Deviation D5), and updates the parameters and their moving average. `step` counts from 1. Does not wait for a GPU.
LaunchedStep train_step(Replica& replica, const SentencePairs& corpus, const StepBatch& batch,
                        const TrainingConfig& config, int64_t step, double learning_rate);

/// `train_step`; when memory runs out, halves the micro-batches and repeats the step, with the same result. Throws the
/// out-of-memory error if each micro-batch has a single pair, or if memory runs out where the step cannot be repeated
/// (DistributedDataParallel::can_repeat_step).
LaunchedStep train_step_with_retry(Replica& replica, const SentencePairs& corpus, StepBatch batch,
                                   const TrainingConfig& config, int64_t step, double learning_rate);

}  // namespace transformer
