#pragma once

#include <torch/types.h>

namespace transformer::cpu {

/// Copies rows [n, ...] to the slots [n], all different, of `cache` [capacity, ...] of the same type.
void copy_rows_to_slots(const torch::Tensor& cache, const torch::Tensor& slots, const torch::Tensor& rows);

/// Eq. 1 (§3.2.1) for one query per row over the slots of a key/value cache: row i attends to slots[offsets[i]] ...
/// slots[offsets[i + 1] - 1]. query [rows, h, d_k] in fp32; keys [capacity, h, d_k] and values [capacity, h, d_v], both
/// in fp32 or both in bf16; d_k and d_v are multiples of kMaxLanes. Returns [rows, h, d_v] in fp32.
torch::Tensor cached_attention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values,
                               const torch::Tensor& slots, const torch::Tensor& offsets);

}  // namespace transformer::cpu
