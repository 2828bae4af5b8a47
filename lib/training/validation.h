#pragma once

#include <cstdint>

#include "data/corpus.h"
#include "model/transformer.h"
#include "training/training_config.h"

namespace transformer {

/// Means over the target tokens of a corpus (Deviation D9).
struct ValidationLoss {
  double loss = 0;        // label-smoothed
  double perplexity = 0;  // of the unsmoothed loss
};

/// Computes the losses of a corpus without dropout, in batches of at most `device_tokens` tokens, or fewer where
/// memory runs out. Leaves the model in evaluation mode.
ValidationLoss validation_loss(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                               int64_t device_tokens);

}  // namespace transformer
