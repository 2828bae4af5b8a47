#pragma once

#include <cstdint>

#include "base/splitmix64.h"

namespace transformer {

// The counter-based random numbers of dropout: an element's index in its sequence, hashed in two rounds with the
// sequence's 64-bit seed as two keys, gives 32 bits. Every kernel computes the same bits (Deviation D14).
inline constexpr uint32_t kFirstHashFactor = 0x7FEB352D, kSecondHashFactor = 0x846CA68B;

/// The seed of a sequence in a call of dropout (DropoutSeeds).
constexpr uint64_t sequence_seed(uint64_t call_seed, int64_t key) {
  return splitmix64(call_seed ^ static_cast<uint64_t>(key));
}

/// What decides which elements of a row are dropped.
struct DropoutRow {
  uint32_t key, second_key, threshold;
  float scale;             // of the elements that are kept
  uint32_t first_element;  // the index of the row's first element in its sequence, or of its first key
};

constexpr DropoutRow dropout_row(uint64_t seed, uint32_t threshold, float scale, int64_t first_element) {
  return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), threshold, scale,
          static_cast<uint32_t>(first_element)};
}

/// Replaces the indices of elements by their random bits. Bits: uint32_t or a SIMD vector of them.
template <class Bits>
[[gnu::always_inline]] constexpr void hash_elements(Bits& bits, uint32_t key, uint32_t second_key) {
  bits ^= key;
  bits ^= bits >> 16;
  bits *= kFirstHashFactor;
  bits += second_key;
  bits ^= bits >> 15;
  bits *= kSecondHashFactor;
  bits ^= bits >> 16;
}

}  // namespace transformer
