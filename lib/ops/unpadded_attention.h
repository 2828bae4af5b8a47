#pragma once

#include <torch/types.h>

#include "ops/attention.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// Whether LibTorch has an attention kernel for packed sequences on the device and for the data type and sizes of these
/// tensors: FlashAttention for bf16 and fp16, memory-efficient attention for fp32.
bool has_unpadded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                            const AttentionMask& mask);

/// Eq. 1 (§3.2.1) within each sequence, by that kernel: shapes as for scaled_dot_product_attention (attention.h). Time
/// and memory do not depend on the lengths of other sequences, and weights are never stored.
torch::Tensor unpadded_attention(const PackedSequence& query, const PackedSequence& key, const PackedSequence& value,
                                 const AttentionMask& mask);

}  // namespace transformer
