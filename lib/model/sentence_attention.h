#pragma once

#include <torch/torch.h>

#include <optional>

#include "model/restricted_attention.h"
#include "ops/packing.h"

namespace transformer {

/// What a position may attend to in its own sentence (§3.2.3); everything, if nothing else is said.
struct AttentionMask {
  bool causal = false;           // position i sees positions 0 ... i
  std::optional<Window> window;  // self-attention sees no further than this
};

/// Eq. 1 (§3.2.1) within each sentence of a batch, for all heads.
/// query [query positions, h, d_k]; key [key positions, h, d_k]; value [key positions, h, d_v]. Returns
/// [query positions, h, d_v].
torch::Tensor sentence_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                                 const Packing& queries, const Packing& keys, const AttentionMask& mask,
                                 double dropout);

}  // namespace transformer
