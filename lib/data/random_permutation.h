#pragma once

#include <cstdint>

namespace transformer {

/// A random order of 0 ... size-1 that needs no memory, so that a corpus of any size can be shuffled: a Feistel network
/// over the next power of four, walked until the result is in range.
class RandomPermutation {
 public:
  RandomPermutation(int64_t size, uint64_t seed);

  /// What stands at `position` of the order.
  int64_t operator()(int64_t position) const;

 private:
  uint64_t encrypt(uint64_t value) const;

  uint64_t size_, seed_;
  unsigned half_bits_;
};

}  // namespace transformer
