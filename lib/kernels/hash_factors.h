#pragma once

#include <cstdint>

namespace transformer {

// The counter-based random numbers of dropout: an element's index in its sequence, hashed in two rounds with the
// sequence's 64-bit seed as two keys, gives 32 bits. Every kernel computes the same bits (Deviation D14).
inline constexpr uint32_t kFirstHashFactor = 0x7FEB352D, kSecondHashFactor = 0x846CA68B;

}  // namespace transformer
