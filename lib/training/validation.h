#pragma once

#include <cstdint>

#include "data/corpus.h"
#include "model/transformer.h"
#include "training/token_loss.h"
#include "training/training_config.h"

namespace transformer {

/// The losses of a corpus without dropout, in batches of at most `device_tokens` tokens, or fewer where memory runs out
/// (Deviation D9). Leaves the model in evaluation mode.
TokenLoss validation_loss(Transformer& model, const Corpus& corpus, const TrainingConfig& config,
                          int64_t device_tokens);

}  // namespace transformer
