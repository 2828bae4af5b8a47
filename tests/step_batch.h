#pragma once

#include <vector>

#include "data/pair_length.h"
#include "training/train_step.h"

namespace transformer {

/// The batch of a step in a world of one rank, with these micro-batches.
inline StepBatch step_batch_of(const Corpus& corpus, const std::vector<std::vector<int64_t>>& micro_batches) {
  StepBatch batch;
  batch.micro_batches = micro_batches;
  for (const auto& micro_batch : micro_batches) {
    for (const int64_t pair : micro_batch) {
      batch.pairs.push_back(pair);
      batch.target_tokens += target_tokens(corpus[pair]);
    }
  }
  return batch;
}

}  // namespace transformer
