#pragma once

#include <array>
#include <cstdint>

namespace transformer {

/// The numbers of numpy.random.default_rng(seed): the generator PCG64 (O'Neill, 2014), whose state NumPy makes from the
/// seed by its SeedSequence.
class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  uint64_t next64();
  /// Halves of the numbers of `next64`, the lower one first.
  uint32_t next32();
  /// What integers(0, bound) and choice(bound) give: 0 to bound - 1, for a bound below 2^32.
  uint32_t below(uint32_t bound);

 private:
  /// A number of 128 bits.
  struct Wide {
    uint64_t high, low;
  };
  void step();

  Wide state_, increment_;
  bool has_half_ = false;
  uint32_t half_ = 0;
};

/// numpy.random.SeedSequence(seed).generate_state(4, uint64).
std::array<uint64_t, 4> seed_sequence_state(uint64_t seed);

}  // namespace transformer
