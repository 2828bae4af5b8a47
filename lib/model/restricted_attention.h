#pragma once

#include <torch/torch.h>

namespace transformer {

/// How far self-attention sees from each position: `before` earlier positions and `after` later ones.
struct Window {
  int64_t before, after;
};

/// Restricted self-attention (§4, Table 1): equation 1, where position i attends to positions i - before ... i + after
/// only. Time and memory grow as n * (before + after), not as n * n.
/// query, key [B, h, n, d_k]; value [B, h, n, d_v]; mask [B, 1, 1, n], true where attention is allowed, or undefined
/// where everything is; a position may always attend to itself. Returns [B, h, n, d_v]. With dropout, which the paper
/// does not have here, it takes all n * n weights.
torch::Tensor restricted_self_attention(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& value, const Window& window, const torch::Tensor& mask,
                                        double dropout);

}  // namespace transformer
