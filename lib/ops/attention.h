#pragma once

#include <torch/torch.h>

#include "ops/packing.h"

namespace transformer {

/// Whether `fused_attention` takes such a tensor: on the CPU, in fp32 or bf16.
bool has_fused_attention(const torch::Tensor& query);

/// Eq. 1 (§3.2.1) within each sentence, for every head: softmax(Q K^T / sqrt(d_k)) V. Position i of a sentence's
/// queries attends to all its keys, or where `causal` to those at 0 ... i.
/// query [query positions, h, d_k]; key [key positions, h, d_k]; value [key positions, h, d_v]; the packings have the
/// same number of sentences. Returns [query positions, h, d_v]. Computes in fp32; the weights never exist as a whole.
torch::Tensor fused_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                              const Packing& queries, const Packing& keys, bool causal);

}  // namespace transformer
