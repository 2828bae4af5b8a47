#include "data/random_permutation.h"

#include "base/splitmix64.h"

namespace transformer {

RandomPermutation::RandomPermutation(int64_t size, uint64_t seed)
    : size_(static_cast<uint64_t>(size)), seed_(seed), half_bits_(1) {
  while ((uint64_t{1} << (2 * half_bits_)) < size_) ++half_bits_;
}

int64_t RandomPermutation::operator()(int64_t position) const {
  auto value = static_cast<uint64_t>(position);
  do {
    value = encrypt(value);
  } while (value >= size_);
  return static_cast<int64_t>(value);
}

uint64_t RandomPermutation::encrypt(uint64_t value) const {
  static constexpr int kRounds = 6;
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = value >> half_bits_, right = value & mask;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t mixed = left ^ (splitmix64(right ^ splitmix64(seed_ + static_cast<uint64_t>(round))) & mask);
    left = right;
    right = mixed;
  }
  return (left << half_bits_) | right;
}

}  // namespace transformer
