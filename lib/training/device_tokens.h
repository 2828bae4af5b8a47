#pragma once

#include "data/corpus.h"
#include "distributed/process_group.h"
#include "model/transformer.h"
#include "training/training_config.h"

namespace transformer {

/// Bytes of the device's memory that are for this rank.
int64_t memory_for_rank(torch::Device device, const ProcessGroup& group);

/// Bytes that a token of a slice takes beyond what every slice takes, by two slices of the corpus's longest pairs; 0
/// where the corpus is too small to tell.
int64_t measure_token_bytes(Transformer& model, const Corpus& corpus, const TrainingConfig& training);

/// Tokens of a slice: `training.device_tokens`, or where that is null what fits this rank's `memory`. Where that is
/// short, slices of the corpus's longest pairs are tried, forward and backward, to measure what a token takes;
/// gradients are left behind.
int64_t choose_device_tokens(Transformer& model, const Corpus& corpus, const TrainingConfig& training,
                             const ProcessGroup& group, int64_t memory);

}  // namespace transformer
