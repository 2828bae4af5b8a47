#pragma once

#include <cstdint>

#include "base/splitmix64.h"
#include "kernels/cpu/simd.h"
#include "kernels/dropout_mask.h"

namespace transformer::cpu {

/// The dropout mask of one row.
struct RowMask {
  uint32_t key, second_key, threshold;
  float scale;             // of the elements that are kept: 1 / (1 - p)
  uint32_t first_element;  // the index of the row's first element in its sequence

  /// Drops from a vector of the row's elements, x[first] and those after it.
  template <class Floats>
  [[gnu::always_inline]] void apply(Floats& x, uint32_t first) const {
    typename SimdOf<Floats>::Bits bits;
    for (uint32_t lane = 0; lane < kLanes<Floats>; ++lane) bits[lane] = lane;
    bits = (bits + (first_element + first)) ^ key;
    bits ^= bits >> 16;
    bits *= kFirstHashFactor;
    bits += second_key;
    bits ^= bits >> 15;
    bits *= kSecondHashFactor;
    bits ^= bits >> 16;
    x = bits >= threshold ? x * scale : Floats{};
  }
};

/// The masks of the rows of a tensor [rows, width].
class RowMasks {
 public:
  RowMasks(const DropoutMask& mask, int64_t width)
      : threshold_(dropout_threshold(mask.p)), scale_(static_cast<float>(1.0 / (1.0 - mask.p))), width_(width) {
    if (mask.p == 0) return;
    call_ = mask.call;
    keys_ = mask.keys.const_data_ptr<int64_t>();
    sequences_ = mask.sequence_ids.const_data_ptr<int64_t>();
    positions_ = mask.position_ids.const_data_ptr<int64_t>();
  }

  bool drop_nothing() const { return keys_ == nullptr; }
  RowMask operator[](int64_t row) const {
    const uint64_t seed = splitmix64(call_ ^ static_cast<uint64_t>(keys_[sequences_[row]]));
    return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), threshold_, scale_,
            static_cast<uint32_t>(positions_[row] * width_)};
  }

 private:
  uint32_t threshold_;
  float scale_;
  int64_t width_;
  uint64_t call_ = 0;
  const int64_t *keys_ = nullptr, *sequences_ = nullptr, *positions_ = nullptr;
};

}  // namespace transformer::cpu
