#pragma once

#include <cstdint>

namespace transformer {

inline constexpr uint64_t kSplitMixIncrement = 0x9E3779B97F4A7C15ULL;
inline constexpr uint64_t kFirstSplitMixFactor = 0xBF58476D1CE4E5B9ULL, kSecondSplitMixFactor = 0x94D049BB133111EBULL;

/// The output function of the SplitMix64 generator (Steele et al. 2014): a bijection of 64-bit numbers whose results
/// look random. Nested calls derive a seed from several numbers.
constexpr uint64_t splitmix64(uint64_t value) {
  value += kSplitMixIncrement;
  value = (value ^ (value >> 30)) * kFirstSplitMixFactor;
  value = (value ^ (value >> 27)) * kSecondSplitMixFactor;
  return value ^ (value >> 31);
}

/// The seed of a training step's random numbers, from the seed of the training.
constexpr uint64_t step_seed(uint64_t seed, int64_t step) {
  return splitmix64(splitmix64(seed) + static_cast<uint64_t>(step));
}

}  // namespace transformer
