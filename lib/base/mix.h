#pragma once

#include <cstdint>

namespace transformer {

/// A well-mixed function of its argument (splitmix64): seeds for what must depend on several numbers.
constexpr uint64_t mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace transformer
