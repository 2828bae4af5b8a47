#pragma once

#include <cstdint>

#include "kernels/cpu/simd.h"
#include "kernels/dropout_hash.h"
#include "kernels/dropout_mask.h"

namespace transformer::cpu {

/// The dropout mask of one row.
struct RowMask : DropoutRow {
  /// Applies the mask to x, a vector of the row's elements from `first` on.
  template <class Floats>
  [[gnu::always_inline]] void apply(Floats& x, uint32_t first) const {
    typename SimdOf<Floats>::Bits bits;
    for (uint32_t lane = 0; lane < kLanes<Floats>; ++lane) bits[lane] = lane;
    bits += first_element + first;
    hash_elements(bits, key, second_key);
    x = bits >= threshold ? x * scale : Floats{};
  }
};

/// What the masks of all rows of one call of dropout have in common.
class DropoutMasks {
 public:
  explicit DropoutMasks(const DropoutSeeds& seeds)
      : threshold_(dropout_threshold(seeds.p)),
        scale_(static_cast<float>(dropout_scale(seeds.p))),
        call_seed_(seeds.call_seed) {
    if (seeds.p != 0) keys_ = seeds.keys.const_data_ptr<int64_t>();
  }

  bool drops_nothing() const { return keys_ == nullptr; }

 protected:
  uint64_t sequence_seed(int64_t sequence) const { return transformer::sequence_seed(call_seed_, keys_[sequence]); }
  RowMask row_mask(uint64_t seed, int64_t first_element) const {
    return {dropout_row(seed, threshold_, scale_, first_element)};
  }

 private:
  uint32_t threshold_;
  float scale_;
  uint64_t call_seed_;
  const int64_t* keys_ = nullptr;
};

/// The masks of the rows of a tensor [rows, width].
class RowMasks : public DropoutMasks {
 public:
  RowMasks(const DropoutMask& mask, int64_t width) : DropoutMasks(mask), width_(width) {
    if (drops_nothing()) return;
    sequences_ = mask.sequence_ids.const_data_ptr<int64_t>();
    positions_ = mask.position_ids.const_data_ptr<int64_t>();
  }

  RowMask operator[](int64_t row) const { return row_mask(sequence_seed(sequences_[row]), positions_[row] * width_); }

 private:
  int64_t width_;
  const int64_t *sequences_ = nullptr, *positions_ = nullptr;
};

/// The dropout masks of attention weights: a row has one query's weights in one head, for `first_key` and the keys
/// after it.
class AttentionDropoutMasks : public DropoutMasks {
 public:
  using DropoutMasks::DropoutMasks;

  RowMask operator()(int64_t sequence, int64_t head, int64_t query, int64_t first_key) const {
    return row_mask(attention_seed(sequence_seed(sequence), head, query), first_key);
  }
};

}  // namespace transformer::cpu
