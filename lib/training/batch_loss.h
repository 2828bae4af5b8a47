#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"
#include "data/sentence_pairs.h"
#include "model/transformer.h"
#include "ops/linear_cross_entropy.h"
#include "training/training_config.h"

namespace transformer {

/// The forward pass: the loss of a batch, summed over its target tokens. The batch is on the model's device.
LossSums batch_loss(Transformer& model, const Batch& batch, const TrainingConfig& config);

/// The forward pass of training: the loss of the pairs with these indices. The dropout masks depend on the indices and
/// `dropout_seed` only, not on how pairs are grouped (Deviation D14). LibTorch's errors say which lines the pairs are.
LossSums micro_batch_loss(Transformer& model, const SentencePairs& corpus, const std::vector<int64_t>& pairs,
                          const TrainingConfig& config, uint64_t dropout_seed);

}  // namespace transformer
