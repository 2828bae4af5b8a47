#pragma once

#include <cstdint>

#include "model/model_config.h"
#include "ops/precision.h"

namespace transformer {

/// What a training step keeps in memory, in bytes.
struct MemoryEstimate {
  int64_t fixed;      // parameters, gradients, Adam's two moments, and the loss's work space
  int64_t per_token;  // activations, for a source and a target token of the slice

  int64_t total(int64_t device_tokens) const { return fixed + per_token * device_tokens; }
};

/// On a CPU with `fused_kernels`, or with LibTorch's operations alone; `moment_sharers` is the number of ranks that
/// share the moments among them (ZeRO-1).
MemoryEstimate estimate_memory(const ModelConfig& config, Precision precision, int64_t vocabulary_size,
                               bool fused_kernels, int moment_sharers = 1);

/// The slice that `device_tokens: null` stands for: what fits into half of a CPU's memory or most of a GPU's
/// (`memory` bytes), at most `batch_tokens`, and on a CPU no more than stays quick.
int64_t fitted_device_tokens(const MemoryEstimate& estimate, int64_t memory, bool on_cpu, int64_t batch_tokens);

}  // namespace transformer
