#pragma once

#include <torch/types.h>

#include <cstdint>

#include "kernels/cpu/simd.h"

namespace transformer {

// The counter-based random numbers of dropout: an element's index in its sequence, hashed in two rounds with the
// sequence's 64-bit seed as two keys, gives 32 bits.
inline constexpr uint32_t kFirstHashFactor = 0x7FEB352D, kSecondHashFactor = 0x846CA68B;

/// An element is dropped if its random bits are below this.
inline uint32_t dropout_threshold(double p) { return static_cast<uint32_t>(p * 4294967296.0); }

/// What determines the dropout mask of a tensor [rows, width].
struct DropoutMask {
  double p = 0;                // 0: no dropout
  torch::Tensor row_seeds;     // int64 [rows]: the seed of the sequence that the row belongs to
  torch::Tensor position_ids;  // int64 [rows]: the position of the row in its sequence
};

namespace cpu {

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
    seeds_ = mask.row_seeds.const_data_ptr<int64_t>();
    positions_ = mask.position_ids.const_data_ptr<int64_t>();
  }

  bool drop_nothing() const { return seeds_ == nullptr; }
  RowMask operator[](int64_t row) const {
    const auto seed = static_cast<uint64_t>(seeds_[row]);
    return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), threshold_, scale_,
            static_cast<uint32_t>(positions_[row] * width_)};
  }

 private:
  uint32_t threshold_;
  float scale_;
  int64_t width_;
  const int64_t *seeds_ = nullptr, *positions_ = nullptr;
};

}  // namespace cpu
}  // namespace transformer
