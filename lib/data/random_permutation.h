#pragma once

#include <cstdint>

namespace transformer {

/// A random permutation of 0, ..., size - 1 in constant memory, so that a corpus of any size can be shuffled: a Feistel
/// network over the next power of four, applied again until the result is in range (cycle walking).
class RandomPermutation {
 public:
  RandomPermutation(int64_t size, uint64_t seed);

  /// The number at `position` of the permuted order.
  int64_t operator()(int64_t position) const;

 private:
  uint64_t encrypt(uint64_t value) const;

  uint64_t size_, seed_;
  unsigned half_bits_;
};

}  // namespace transformer
