#pragma once

#include <cstdint>

#include "model/model_config.h"
#include "text/source_and_target.h"
#include "training/training_config.h"

namespace transformer {

/// An estimate of the memory that a training step needs, in bytes.
struct MemoryEstimate {
  int64_t fixed;      // parameters, copies for products, moving average, gradients, Adam's two moments, loss's buffers
  int64_t per_token;  // activations of one source and one target token of each worker's micro-batch
  int64_t checkpoint = 0;  // in the CPU's memory while a checkpoint is written: copies of what it holds

  /// For micro-batches of this size, without `checkpoint`.
  int64_t total(int64_t device_tokens) const;
};

/// The tokens of a micro-batch where fewer would take nearly as much time.
inline constexpr int64_t kMinDeviceTokens = 256;

/// The estimate for one of `num_ranks` ranks on a GPU or on a CPU, which computes fewer logits of the loss at a time
/// and has this number of workers.
MemoryEstimate estimate_memory(const ModelConfig& config, const VocabularySizes& vocabularies,
                               const TrainingConfig& training, bool is_gpu, int num_ranks = 1, int num_workers = 1);

/// On a CPU, a step has a multiple of so many micro-batches, whatever the number of workers, which therefore does not
/// change the result.
inline constexpr int64_t kMicroBatchMultiple = 4;

/// The micro-batch size that `device_tokens: null` stands for: as many tokens as fit into half of a CPU's memory or 80
/// % of a GPU's (`memory` bytes), or 256 if fewer fit, but at most `batch_tokens`. On a CPU at most 2,048, and
/// if possible so few that a step has kMicroBatchMultiple micro-batches.
int64_t fitted_device_tokens(const MemoryEstimate& estimate, int64_t memory, bool is_gpu, int64_t batch_tokens);

}  // namespace transformer
