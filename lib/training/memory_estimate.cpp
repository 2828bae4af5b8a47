#include "training/memory_estimate.h"

#include <algorithm>

#include "model/model_cost.h"
#include "ops/linear_cross_entropy.h"
#include "ops/precision.h"

namespace transformer {
namespace {

constexpr int64_t kFloatBytes = 4;  // fp32

}  // namespace

MemoryEstimate estimate_memory(const ModelConfig& config, VocabularySizes vocabularies, const TrainingConfig& training,
                               bool is_gpu, int moment_shards) {
  const Precision precision = precision_on(is_gpu, training.precision);
  const int64_t parameters = num_parameters(config, vocabularies);
  const int64_t moments = 2 * parameters / moment_shards;
  // The gradient of the output projection exists twice while it is summed over blocks of logits, which exist twice as
  // well.
  const int64_t vocab = vocabularies.target();
  const int64_t projection = 2 * vocab * (config.d_model + loss_block_rows(is_gpu, vocab));
  // For the backward pass, copies of the parameters in bf16, or in fp32 of the query's, key's and value's matrices,
  // which JointLinear joins: about four of d_model^2 in each encoder layer and eight in each decoder layer.
  const int64_t cast_parameters =
      precision == Precision::bf16 ? 2 * parameters : kFloatBytes * 8 * config.N * config.d_model * config.d_model;
  // On a GPU, flash attention's backward pass adds up the query's gradient in fp32, and each sentence, of typical
  // length, takes whole tiles of 128 positions.
  static constexpr int64_t kTile = 128;
  const int64_t query_gradient =
      is_gpu ? kFloatBytes * config.h * config.key_size() * (kTypicalTokens + kTile) / kTypicalTokens : 0;
  return {
      .fixed = kFloatBytes * (2 * parameters + moments + projection) + cast_parameters,
      .per_token = activation_bytes(config, precision, /*kernels=*/training.cpu_kernels || is_gpu) + query_gradient};
}

int64_t fitted_device_tokens(const MemoryEstimate& estimate, int64_t memory, bool is_gpu, int64_t batch_tokens) {
  static constexpr int64_t kEnoughOnCpu = 4096;  // a larger micro-batch is no faster and needs more memory
  static constexpr int64_t kMinTokens = 256;
  const int64_t usable = (is_gpu ? memory * 8 / 10 : memory / 2) - estimate.fixed;
  const int64_t fitting = std::max(kMinTokens, usable / estimate.per_token);
  return std::min({fitting, batch_tokens, is_gpu ? batch_tokens : kEnoughOnCpu});
}

}  // namespace transformer
