#pragma once

#include <cstdint>

#include "model/model_config.h"

namespace transformer {

/// Floating-point operations of the matrix products (a multiplication and an addition are two) of one forward pass over
/// a pair of S source and T target tokens. Training takes three times as many: forward, and backward twice.
double forward_flops(const ModelConfig& config, int64_t vocabulary_size, int64_t S, int64_t T);

/// A training pair as WMT's are on average: 28 pieces and the end symbol, on either side.
inline constexpr int64_t kTypicalTokens = 29;

/// Those of training for one target token of such a pair, and its share of the source.
double training_flops_per_token(const ModelConfig& config, int64_t vocabulary_size);

/// Those of all steps, of `batch_tokens` target tokens each.
double training_flops(const ModelConfig& config, int64_t vocabulary_size, int64_t batch_tokens, int64_t steps);

/// The paper's estimate of a training's floating-point operations (§6.1, Table 2): its time, multiplied by the devices
/// and by what each sustains, in operations a second.
double estimated_training_flops(double seconds, double devices, double sustained_flops);

}  // namespace transformer
