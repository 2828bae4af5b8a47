#pragma once

#include <torch/types.h>

#include "ops/attention.h"
#include "ops/packed_sequence.h"

namespace transformer {

/// Whether LibTorch has an attention kernel for packed sequences ("varlen" in FlashAttention and PyTorch) on the device
/// and for the data type and sizes of these tensors: FlashAttention for bf16 and fp16, memory-efficient attention for
/// fp32.
bool has_unpadded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                            const AttentionMask& mask);

/// A function that computes Eq. 1 within each sequence.
using AttentionFunction = torch::Tensor(const PackedSequence& query, const PackedSequence& key,
                                        const PackedSequence& value, const AttentionMask& mask);

/// Whether these tensors are on a GPU and unpadded attention works for them there. At the first use of each combination
/// of device, data type, d_k, d_v, and window or none, compares it with `reference`, values and gradients, and logs a
/// warning if it does not work.
bool use_unpadded_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                            const AttentionMask& mask, AttentionFunction& reference);

/// Eq. 1 (§3.2.1) within each sequence, by LibTorch's FlashAttention (bf16, fp16) or memory-efficient attention (fp32):
/// shapes as for scaled_dot_product_attention (attention.h). Time and memory do not depend on the lengths of other
/// sequences, and weights are never stored.
torch::Tensor unpadded_attention(const PackedSequence& query, const PackedSequence& key, const PackedSequence& value,
                                 const AttentionMask& mask);

}  // namespace transformer
