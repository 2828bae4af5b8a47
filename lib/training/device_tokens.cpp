#include "training/device_tokens.h"

#include <algorithm>

#include "data/batch_sampler.h"
#include "platform/device.h"
#include "platform/memory_meter.h"
#include "platform/out_of_memory.h"
#include "training/memory_estimate.h"
#include "training/trainer.h"

namespace transformer {
namespace {

constexpr int64_t kProbedTokens = 512;

/// The most that one slice's forward and backward pass take at a time.
int64_t peak_bytes(Transformer& model, const Corpus& corpus, const std::vector<int64_t>& slice,
                   const TrainingConfig& training) {
  const MemoryMeter meter;
  slice_loss(model, corpus, slice, training, /*seed=*/0).loss.backward();
  return meter.peak_bytes();
}

/// Source or target tokens, whichever are more.
int64_t tokens_of(const Corpus& corpus, const std::vector<int64_t>& slice) {
  int64_t source = 0, target = 0;
  for (const int64_t pair : slice) {
    source += source_tokens(corpus[pair]);
    target += target_tokens(corpus[pair]);
  }
  return std::max(source, target);
}

}  // namespace

int64_t measure_token_bytes(Transformer& model, const Corpus& corpus, const TrainingConfig& training) {
  const auto longest = longest_pairs(corpus, 2 * kProbedTokens);
  const auto slice = cut_into_slices(corpus, longest, kProbedTokens).front();
  const auto larger_slice = cut_into_slices(corpus, longest, 2 * kProbedTokens).front();
  const int64_t more_tokens = tokens_of(corpus, larger_slice) - tokens_of(corpus, slice);
  if (more_tokens <= 0) return 0;
  model->train();
  peak_bytes(model, corpus, slice, training);  // makes the gradients
  const int64_t bytes = peak_bytes(model, corpus, slice, training);
  return (peak_bytes(model, corpus, larger_slice, training) - bytes) / more_tokens;
}

int64_t memory_for_rank(torch::Device device, const ProcessGroup& group) {
  return device_memory(device) / (device.is_cpu() ? group.local_size() : 1);
}

int64_t choose_device_tokens(Transformer& model, const Corpus& corpus, const TrainingConfig& training,
                             const ProcessGroup& group, int64_t memory) {
  if (training.device_tokens) return *training.device_tokens;
  MemoryEstimate estimate =
      estimate_memory(model->config(), training.precision, model->vocabulary_size(),
                      training.fused_kernels && model->device().is_cpu(), training.shard_optimizer ? group.size() : 1);
  const auto fitted = [&](const MemoryEstimate& needed) {
    return fitted_device_tokens(needed, memory, model->device().is_cpu(), training.batch_tokens);
  };
  const int64_t expected = fitted(estimate);
  if (fitted({estimate.fixed, 2 * estimate.per_token}) == expected) return expected;  // there is plenty
  try {
    estimate.per_token = std::max(estimate.per_token, measure_token_bytes(model, corpus, training));
  } catch (const std::exception& failure) {
    if (!is_out_of_memory(failure)) throw;
    return std::min(expected, kProbedTokens);
  }
  return fitted(estimate);
}

}  // namespace transformer
