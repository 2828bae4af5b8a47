#pragma once

#include <torch/types.h>

#include "ops/packed_sequence.h"

namespace transformer {

/// LayerNorm(x + Dropout(output)) (§3.1): (s - mean) / sqrt(variance + epsilon) * weight + bias over the channels of
/// the sum s. x [positions, d_model] in fp32; output, the result of a sub-layer, the same, or in bf16 or fp16; weight,
/// bias [d_model]. Dropout with probability p as in ops/dropout.h. On a GPU, the result has `rounded`, too, the
/// same values in the output's type, so that the next matrix products need not read the fp32 result to convert it.
PackedSequence add_norm(const PackedSequence& x, const PackedSequence& output, double p, const torch::Tensor& weight,
                        const torch::Tensor& bias, double epsilon);

}  // namespace transformer
