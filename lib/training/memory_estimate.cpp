#include "training/memory_estimate.h"

#include <algorithm>

#include "model/model_cost.h"
#include "ops/linear_cross_entropy.h"
#include "ops/precision.h"

namespace transformer {
namespace {

constexpr double kFloatBytes = 4;  // fp32

}  // namespace

int64_t MemoryEstimate::total(int64_t device_tokens) const {
  return saturated(static_cast<double>(fixed) + static_cast<double>(per_token) * device_tokens);
}

MemoryEstimate estimate_memory(const ModelConfig& config, const VocabularySizes& vocabularies,
                               const TrainingConfig& training, bool is_gpu, int num_ranks, int num_workers) {
  const Precision precision = precision_on(is_gpu, training.precision);
  // In double, because products of a config's sizes may overflow int64.
  const double parameters = num_parameters(config, vocabularies);
  const double moments = 2 * parameters / (training.shard_optimizer ? num_ranks : 1);
  // Several ranks keep the gradients of all but the last micro-batch beside the buckets in which they are summed.
  // Several workers each have the gradients of a micro-batch besides their sum.
  const double gradients = (num_ranks > 1 ? 2 : 1) * parameters + (num_workers > 1 ? num_workers : 0) * parameters;
  // The gradient of the output projection exists twice while it is summed over blocks of logits, which exist twice as
  // well.
  const int64_t vocab = vocabularies.target();
  const double projection = 2.0 * vocab * (config.d_model + loss_block_rows(is_gpu, vocab));
  // For the backward pass, copies of the parameters in bf16, or in fp32 of the query's, key's and value's matrices,
  // which JointLinear joins: three in each encoder layer and five in each decoder layer.
  const double joined = config.N * (2 * config.key_size() + config.value_size()) +
                        config.num_decoder_layers() * (3 * config.key_size() + 2 * config.value_size());
  const double copies =
      precision == Precision::bf16 ? 2 * parameters : kFloatBytes * config.d_model * config.h * joined;
  // On a GPU, flash attention's backward pass adds up the query's gradient in fp32, and each sentence, of typical
  // length, takes whole tiles of 128 positions.
  static constexpr int64_t kTile = 128;
  const double query_gradient =
      is_gpu ? kFloatBytes * config.h * config.key_size() * (kTypicalTokens + kTile) / kTypicalTokens : 0;
  const int64_t activations = activation_bytes(config, precision, /*kernels=*/training.cpu_kernels || is_gpu, is_gpu);
  const double average = training.ema_decay ? parameters : 0;
  const double of_workers = num_workers * (kFloatBytes * projection + copies);
  return {.fixed = saturated(kFloatBytes * (parameters + gradients + moments + average) + of_workers),
          .per_token = saturated(num_workers * (activations + query_gradient)),
          .checkpoint = saturated(kFloatBytes * (3 * parameters + average))};
}

int64_t fitted_device_tokens(const MemoryEstimate& estimate, int64_t memory, bool is_gpu, int64_t batch_tokens) {
  const int64_t usable = (is_gpu ? memory * 8 / 10 : memory / 2) - estimate.fixed;
  const int64_t fitting = std::min(batch_tokens, std::max(kMinDeviceTokens, usable / estimate.per_token));
  if (is_gpu) return fitting;
  static constexpr int64_t kFew = 512;      // a smaller micro-batch is slower
  static constexpr int64_t kEnough = 2048;  // a larger one is no faster and needs more memory
  // Somewhat more than a multiple's share, because sentences of several tokens divide a step unequally.
  const int64_t share = batch_tokens * 11 / 10 / kMicroBatchMultiple;
  return std::min(fitting, std::clamp(share, kFew, kEnough));
}

}  // namespace transformer
