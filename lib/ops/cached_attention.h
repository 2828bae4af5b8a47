#pragma once

#include <torch/types.h>

#include "ops/packed_sequence.h"

namespace transformer {

/// Eq. 1 for one query per live hypothesis of a search, over the slots of a key/value cache: query i attends to the
/// slots that sequence i of `slots` lists. query [rows, h, d_k], as sequences of one position, in fp32 or, on a GPU, in
/// the type of the cache; keys [capacity, h, d_k]; values [capacity, h, d_v]; slots.data int64 [listed slots]. Returns
/// [rows, h, d_v] in the type of the query.
PackedSequence cached_attention(const PackedSequence& query, const torch::Tensor& keys, const torch::Tensor& values,
                                const PackedSequence& slots);

/// Copies rows [n, ...] to the slots [n], all different, of `cache` [capacity, ...] of the same type.
void copy_rows_to_slots(const torch::Tensor& cache, const torch::Tensor& slots, const torch::Tensor& rows);

}  // namespace transformer
