#pragma once

#include <torch/types.h>

#include "ops/packed_sequence.h"

namespace transformer {

/// The input of the first layer (§3.4, §3.5): Dropout(scale * embedding[token] + position_table[position]), where each
/// element is dropped with probability p and `scale` is sqrt(d_model). tokens.data: int64 [positions], ids below vocab,
/// which is not checked on a GPU; embedding [vocab, d_model]; position_table [n, d_model], n at least the longest
/// sequence. Returns [positions, d_model], differentiable with respect to embedding and position_table.
PackedSequence embed_tokens(const PackedSequence& tokens, const torch::Tensor& embedding, double scale,
                            const torch::Tensor& position_table, double p);

}  // namespace transformer
