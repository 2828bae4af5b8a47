#pragma once

#include <torch/types.h>

#include "ops/packed_sequence.h"

namespace transformer {

/// The input of the first layer (§3.4, §3.5): Dropout(scale * embedding[token] + positions[position]), where each
/// element is dropped with probability p. embedding [vocab, d_model]; positions [at least the longest sequence,
/// d_model]. Returns [positions, d_model]. Differentiable by both.
PackedSequence embed_tokens(const PackedSequence& tokens, const torch::Tensor& embedding, double scale,
                            const torch::Tensor& positions, double p);

}  // namespace transformer
