#pragma once

#include "data/corpus.h"
#include "distributed/process_group.h"
#include "model/transformer.h"
#include "training/training_config.h"

namespace transformer {

/// Bytes of memory that this rank may use: what is available on its GPU, or an equal part of the machine's for each
/// rank on the CPU.
int64_t memory_for_rank(torch::Device device, const ProcessGroup& group);

/// Throws Error if training a model needs more memory on a CPU than this rank may use, whatever the size of a
/// micro-batch. Called before the model is built, because Linux kills a process that uses more than there is.
void check_memory(const ModelConfig& model, const VocabularySizes& vocabularies, const TrainingConfig& training,
                  torch::Device device, const ProcessGroup& group);

/// How many workers compute micro-batches on this device (`training.workers`): 1 on a GPU, and on a CPU one for each of
/// LibTorch's threads, or fewer, with a warning if the config gives their number, where memory_for_rank allows no more.
int choose_workers(const ModelConfig& model, const VocabularySizes& vocabularies, const TrainingConfig& training,
                   torch::Device device, const ProcessGroup& group);

/// Measures how many bytes of memory each further token of a micro-batch takes, by comparing the forward and backward
/// passes of two micro-batches of the corpus's longest pairs. Returns 0 if the corpus is too small for that.
int64_t measure_token_bytes(Transformer& model, const Corpus& corpus, const TrainingConfig& training);

/// The tokens of a micro-batch: `training.device_tokens`, or, if this is null, as many as fit into `memory` bytes. If
/// memory is scarce, measures the bytes of a token with forward and backward passes, which leave gradients behind.
/// `num_workers` micro-batches are in memory at once.
int64_t choose_device_tokens(Transformer& model, const Corpus& corpus, const TrainingConfig& training,
                             const ProcessGroup& group, int64_t memory, int num_workers = 1);

}  // namespace transformer
