#pragma once

#include <torch/torch.h>

namespace transformer {

/// Eq. 1 (§3.2.1): softmax(Q K^T / sqrt(d_k)) V, with dropout on the weights.
/// query [B, h, T, d_k]; key [B, h, S, d_k]; value [B, h, S, d_v]; mask broadcastable to [B, h, T, S], true where
/// attention is allowed, or undefined where everything is. Returns [B, h, T, d_v].
torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask, double dropout);

}  // namespace transformer
