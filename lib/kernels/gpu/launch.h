#pragma once

#include <torch/types.h>

#include "kernels/add_norm_gradients.h"
#include "kernels/dropout_mask.h"
#include "kernels/gpu/block.h"
#include "kernels/top_tokens.h"

namespace transformer::gpu {

// The GPU kernels on tensors, which are contiguous and on one device. Kernels are launched asynchronously on the
// current stream of the tensors' device.

/// The largest width of add_norm, whose backward pass has two rows in the shared memory of a block.
inline constexpr int64_t kMaxNormWidth = (kMaxSharedBytes - kReductionBytes) / (2 * sizeof(float));

struct AddNormResult {
  torch::Tensor y;           // [positions, width]
  torch::Tensor rounded;     // [positions, width]: y in the output's type; undefined if that is fp32
  torch::Tensor normalized;  // [positions, width]: before weight and bias; undefined without gradients
  torch::Tensor rstd;        // [positions]: 1 / sqrt(variance + epsilon); undefined without gradients
};

/// LayerNorm(x + Dropout(output)) (§3.1): x [positions, width] in fp32; output the same, or in bf16 or fp16; weight,
/// bias [width].
AddNormResult add_norm_forward(const torch::Tensor& x, const torch::Tensor& output, const DropoutMask& mask,
                               const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                               bool needs_gradient);

/// Takes the gradients of the loss with respect to the forward pass's y and `rounded`, [positions, width] in their
/// types; one of the two may be undefined. `normalized` and `rstd` are the forward pass's. `output_type` is the data
/// type of the forward pass's output.
AddNormGradients add_norm_backward(const torch::Tensor& y_gradient, const torch::Tensor& rounded_gradient,
                                   const torch::Tensor& normalized, const torch::Tensor& rstd,
                                   const torch::Tensor& weight, const DropoutMask& mask, torch::ScalarType output_type);

/// factor * Dropout(x): x [rows, width] in fp32, bf16 or fp16.
torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask, double factor = 1);

/// Dropout(scale * embedding[tokens] + position_table[position_ids]): embedding [vocab, width] and position_table [n,
/// width] in fp32; tokens and position_ids int64 [rows]. Returns [rows, width] in fp32.
torch::Tensor embed_tokens(const torch::Tensor& embedding, const torch::Tensor& tokens, double scale,
                           const torch::Tensor& position_table, const torch::Tensor& position_ids,
                           const DropoutMask& mask);

struct RowLosses {
  torch::Tensor losses, negative_log_likelihoods;  // [rows] in fp32
};

/// Label-smoothed cross entropy (§5.4) of logits [rows, vocab] in fp32, bf16 or fp16 and int64 targets [rows]. If
/// `needs_gradient`, overwrites the logits with the gradient of the sum of the losses with respect to them.
RowLosses cross_entropy_in_place(const torch::Tensor& logits, const torch::Tensor& targets, double eps_ls,
                                 bool needs_gradient);

/// Whether cached_attention has enough shared memory.
bool fits_cached_attention(int64_t d_k, int64_t d_v, int64_t max_slots);

/// Eq. 1 (§3.2.1) for one query per row over the slots of a key/value cache: row i attends to slots[offsets[i]] ...
/// slots[offsets[i + 1] - 1], at least one and at most `max_slots`. query [rows, h, d_k]; keys [capacity, h, d_k];
/// values [capacity, h, d_v], all of the same type; slots in int64, offsets in int32. Returns [rows, h, d_v].
torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const torch::Tensor& slots, const torch::Tensor& offsets, int64_t max_slots);

/// The `count` most likely tokens of each row of logits [rows, vocab] in fp32, bf16 or fp16; 1 <= count <= vocab.
TopTokens top_tokens(const torch::Tensor& logits, int64_t count);

}  // namespace transformer::gpu
