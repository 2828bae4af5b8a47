#pragma once

#include <torch/types.h>

#include <limits>

#include "kernels/dropout_mask.h"

namespace transformer::cpu {

/// Query i of a sequence sees the keys i - before ... i + after of the same sequence.
struct VisibleKeys {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 4;
  int64_t before = kUnlimited, after = kUnlimited;
};

struct AttentionOutput {
  torch::Tensor output;  // [query positions, h, d_v]
  /// [h, query positions] in fp32: the log of the sum of e^score, from which the backward pass computes the weights.
  torch::Tensor logsumexp;
};

/// Eq. 1 (§3.2.1) within each sequence of a packed batch, for all heads, with dropout on the weights, which are not
/// stored.
/// query [query positions, h, d_k]; key [key positions, h, d_k]; value [key positions, h, d_v], contiguous and all in
/// fp32 or all in bf16; offsets as Packing::offsets. Computes in fp32.
AttentionOutput attention_forward(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                                  const torch::Tensor& query_offsets, const torch::Tensor& key_offsets,
                                  const VisibleKeys& visible, const DropoutSeeds& dropout);

/// Each has the shape and the data type of that input.
struct AttentionGradients {
  torch::Tensor query, key, value;
};

/// The gradients of attention_forward's inputs, from the gradient of its output.
AttentionGradients attention_backward(const torch::Tensor& output_gradient, const torch::Tensor& query,
                                      const torch::Tensor& key, const torch::Tensor& value,
                                      const torch::Tensor& logsumexp, const torch::Tensor& query_offsets,
                                      const torch::Tensor& key_offsets, const VisibleKeys& visible,
                                      const DropoutSeeds& dropout);

}  // namespace transformer::cpu
