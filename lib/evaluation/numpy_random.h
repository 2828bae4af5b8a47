#pragma once

#include <array>
#include <cstdint>

namespace transformer {

/// The random numbers of numpy.random.default_rng(seed): the generator PCG64 (O'Neill, 2014), whose state NumPy derives
/// from the seed with SeedSequence.
class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  uint64_t next64();
  /// The halves of the numbers that next64 returns: the lower half of one, then its upper half.
  uint32_t next32();
  /// The result of integers(0, bound) and choice(bound): a number from 0 to bound - 1, for a bound below 2^32.
  uint32_t below(uint32_t bound);

 private:
  using Wide = unsigned __int128;
  void step();

  Wide state_, increment_;
  bool has_half_ = false;
  uint32_t half_ = 0;
};

/// numpy.random.SeedSequence(seed).generate_state(4, uint64).
std::array<uint64_t, 4> seed_sequence_state(uint64_t seed);

}  // namespace transformer
