#pragma once

#include <cstdint>

namespace transformer {

/// The output function of the SplitMix64 generator (Steele et al. 2014): a bijection of 64-bit numbers whose results
/// look random. Nested calls derive a seed from several numbers.
constexpr uint64_t splitmix64(uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace transformer
