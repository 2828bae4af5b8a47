#include "training/device_tokens.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "data/batch_by_tokens.h"
#include "data/pair_length.h"
#include "platform/device.h"
#include "platform/memory_meter.h"
#include "platform/out_of_memory.h"
#include "training/batch_loss.h"
#include "training/memory_estimate.h"

namespace transformer {
namespace {

constexpr int64_t kMeasuredTokens = 512;

/// The peak memory of the forward and backward pass of a micro-batch.
int64_t peak_bytes(Transformer& model, const Corpus& corpus, const std::vector<int64_t>& micro_batch,
                   const TrainingConfig& training) {
  const MemoryMeter meter;
  micro_batch_loss(model, corpus, micro_batch, training, /*dropout_seed=*/0).loss.backward();
  return meter.peak_bytes();
}

/// The source or target tokens of the micro-batch, whichever are more.
int64_t tokens_of(const Corpus& corpus, const std::vector<int64_t>& micro_batch) {
  int64_t source = 0, target = 0;
  for (const int64_t pair : micro_batch) {
    source += source_tokens(corpus[pair]);
    target += target_tokens(corpus[pair]);
  }
  return std::max(source, target);
}

}  // namespace

int64_t measure_token_bytes(Transformer& model, const Corpus& corpus, const TrainingConfig& training) {
  const auto longest = longest_pairs(corpus, 2 * kMeasuredTokens);
  const auto small = batch_by_tokens(longest, kMeasuredTokens).front();
  const auto large = batch_by_tokens(longest, 2 * kMeasuredTokens).front();
  const int64_t more_tokens = tokens_of(corpus, large) - tokens_of(corpus, small);
  if (more_tokens <= 0) return 0;
  model->train();
  peak_bytes(model, corpus, small, training);  // allocates the gradients, which the next passes reuse
  const int64_t small_bytes = peak_bytes(model, corpus, small, training);
  return (peak_bytes(model, corpus, large, training) - small_bytes) / more_tokens;
}

int64_t memory_for_rank(torch::Device device, const ProcessGroup& group) {
  return available_memory(device) / (device.is_cpu() ? group.local_world_size() : 1);
}

void check_memory(const ModelConfig& model, const VocabularySizes& vocabularies, const TrainingConfig& training,
                  torch::Device device, const ProcessGroup& group) {
  if (!device.is_cpu()) return;  // a GPU that has no memory left reports it
  const int64_t needed = estimate_memory(model, vocabularies, training, /*is_gpu=*/false, group.size()).fixed;
  const int64_t memory = memory_for_rank(device, group);
  if (needed <= memory) return;
  throw Error(
      "this model's parameters, gradients and moments need about {}, more than the {} of memory for each rank here; "
      "train a smaller model, or on more machines with training.shard_optimizer",
      human_bytes(needed), human_bytes(memory));
}

int choose_workers(const ModelConfig& model, const VocabularySizes& vocabularies, const TrainingConfig& training,
                   torch::Device device, const ProcessGroup& group) {
  if (!device.is_cpu()) return 1;
  const auto wanted = static_cast<int>(training.workers.value_or(at::get_num_threads()));
  const int64_t memory = memory_for_rank(device, group);
  const auto fits = [&](int workers) {
    const auto estimate = estimate_memory(model, vocabularies, training, /*is_gpu=*/false, group.size(), workers);
    // A micro-batch has no more tokens than a step.
    const int64_t tokens = std::min(training.device_tokens.value_or(kMinDeviceTokens), training.batch_tokens);
    return estimate.total(tokens) <= memory / 2;
  };
  int workers = wanted;
  while (workers > 1 && !fits(workers)) --workers;
  if (workers < wanted && training.workers) {
    log_warning("training.workers: {} need more than half of the memory for each rank here ({}); training uses {}",
                wanted, human_bytes(memory), counted(workers, "worker"));
  }
  return workers;
}

int64_t choose_device_tokens(Transformer& model, const Corpus& corpus, const TrainingConfig& training,
                             const ProcessGroup& group, int64_t memory, int num_workers) {
  if (training.device_tokens) return *training.device_tokens;
  const bool is_gpu = model->device().is_cuda();
  MemoryEstimate estimate =
      estimate_memory(model->config(), model->embeddings().vocabularies, training, is_gpu, group.size(), num_workers);
  const auto fitted = [&](const MemoryEstimate& needed) {
    return fitted_device_tokens(needed, memory, is_gpu, training.batch_tokens);
  };
  const int64_t expected = fitted(estimate);
  if (fitted({estimate.fixed, 2 * estimate.per_token}) == expected) return expected;  // memory is plentiful
  try {
    estimate.per_token = std::max(estimate.per_token, num_workers * measure_token_bytes(model, corpus, training));
  } catch (const std::exception& failure) {
    if (!is_out_of_memory(failure)) throw;
    return std::min(expected, kMeasuredTokens);
  }
  return fitted(estimate);
}

}  // namespace transformer
