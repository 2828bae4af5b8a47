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

/// A packed batch: query, key and value are all in fp32 or all in bf16, and contiguous in their last dimension.
struct AttentionInputs {
  torch::Tensor query;                       // [query positions, h, d_k]
  torch::Tensor key;                         // [key positions, h, d_k]
  torch::Tensor value;                       // [key positions, h, d_v]
  torch::Tensor query_offsets, key_offsets;  // int64: the first position of each sequence, and the number of positions
  VisibleKeys visible;
  DropoutSeeds dropout;
};

struct AttentionOutput {
  torch::Tensor output;  // [query positions, h, d_v]
  /// [h, query positions] in fp32: the log of the sum of e^score, from which the backward pass computes the weights.
  torch::Tensor logsumexp;
};

/// Eq. 1 (§3.2.1) within each sequence, for all heads, with dropout on the weights, which are not stored. Computes in
/// fp32.
AttentionOutput attention_forward(const AttentionInputs& inputs);

/// The gradients of the inputs; each has the shape and the data type of its input.
struct AttentionGradients {
  torch::Tensor query, key, value;
};

/// The gradients of attention_forward's inputs, from that of its output and its `logsumexp`.
AttentionGradients attention_backward(const torch::Tensor& output_gradient, const AttentionInputs& inputs,
                                      const torch::Tensor& logsumexp);

}  // namespace transformer::cpu
