#pragma once

#include "kernels/dropout_hash.h"
#include "kernels/gpu/block.h"

namespace transformer::gpu {

/// The dropout mask of one row, with the same bits as on a CPU.
struct RowMask : DropoutRow {
  /// Applies the mask to x, the row's n elements from `column` on.
  template <int n>
  TRANSFORMER_GPU void apply(Floats<n>& x, int column) const {
    if (threshold == 0) return;
    for (int i = 0; i < n; ++i) {
      uint32_t bits = first_element + static_cast<uint32_t>(column + i);
      hash_elements(bits, key, second_key);
      x[i] = bits >= threshold ? x[i] * scale : 0.0f;
    }
  }
};

/// A DropoutMask (dropout_mask.h) as kernels see it; a threshold of 0 drops nothing.
struct RowMasks {
  uint32_t threshold = 0;
  float scale = 1;
  uint64_t call_seed = 0;
  const int64_t *keys = nullptr, *sequence_ids = nullptr, *position_ids = nullptr;

  TRANSFORMER_GPU RowMask row(int64_t row, int width) const {
    if (threshold == 0) return {dropout_row(0, 0, 1, 0)};
    return {
        dropout_row(sequence_seed(call_seed, keys[sequence_ids[row]]), threshold, scale, position_ids[row] * width)};
  }
};

}  // namespace transformer::gpu
