#include "evaluation/numpy_random.h"

#include <bit>
#include <cstddef>

namespace transformer {
namespace {

constexpr size_t kPoolSize = 4;

uint32_t fold(uint32_t value) { return value ^ (value >> 16); }

/// A hash function whose multiplier changes with every call.
class HashMix {
 public:
  HashMix(uint32_t constant, uint32_t multiplier) : constant_(constant), multiplier_(multiplier) {}
  uint32_t operator()(uint32_t value) {
    value ^= constant_;
    constant_ *= multiplier_;
    return fold(value * constant_);
  }

 private:
  uint32_t constant_, multiplier_;
};

/// Hashes one word of the seed into each entry of the pool, then mixes each entry into every other.
std::array<uint32_t, kPoolSize> mixed_pool(uint64_t seed) {
  HashMix hash(0x43B0D7E5u, 0x931E8875u);
  std::array<uint32_t, kPoolSize> pool{};
  const std::array<uint32_t, kPoolSize> words = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (size_t i = 0; i < kPoolSize; ++i) pool[i] = hash(words[i]);
  for (size_t from = 0; from < kPoolSize; ++from) {
    for (size_t to = 0; to < kPoolSize; ++to) {
      if (from != to) pool[to] = fold(0xCA01F9DDu * pool[to] - 0x4973F715u * hash(pool[from]));
    }
  }
  return pool;
}

}  // namespace

std::array<uint64_t, 4> seed_sequence_state(uint64_t seed) {
  const auto pool = mixed_pool(seed);
  HashMix hash(0x8B51F9DDu, 0x58F38DEDu);
  std::array<uint64_t, 4> state{};
  for (size_t i = 0; i < 2 * state.size(); ++i) {
    state[i / 2] |= static_cast<uint64_t>(hash(pool[i % kPoolSize])) << (32 * (i % 2));
  }
  return state;
}

NumpyRandom::NumpyRandom(uint64_t seed) {
  const auto words = seed_sequence_state(seed);
  const auto wide = [](uint64_t high, uint64_t low) { return Wide{high} << 64 | low; };
  increment_ = wide(words[2], words[3]) << 1 | 1;
  // A step from state 0 gives the increment, to which the seed is added.
  state_ = increment_ + wide(words[0], words[1]);
  step();
}

void NumpyRandom::step() {
  static constexpr Wide kMultiplier = Wide{2549297995355413924u} << 64 | 4865540595714422341u;
  state_ = state_ * kMultiplier + increment_;  // modulo 2^128
}

uint64_t NumpyRandom::next64() {
  step();
  const auto high = static_cast<uint64_t>(state_ >> 64), low = static_cast<uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

uint32_t NumpyRandom::next32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const uint64_t both = next64();
  has_half_ = true;
  half_ = static_cast<uint32_t>(both >> 32);
  return static_cast<uint32_t>(both);
}

/// Lemire (2019): the upper half of random * bound is uniform if the few products with the smallest lower halves, which
/// occur once too often, are rejected.
uint32_t NumpyRandom::below(uint32_t bound) {
  if (bound <= 1) return 0;  // consumes no random number
  const uint32_t first_fair = (0u - bound) % bound;
  uint64_t product = static_cast<uint64_t>(next32()) * bound;
  while (static_cast<uint32_t>(product) < first_fair) product = static_cast<uint64_t>(next32()) * bound;
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace transformer
