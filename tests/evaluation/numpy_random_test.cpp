#include "evaluation/numpy_random.h"

#include "catch.h"
#include "golden/evaluation/metrics.h"

namespace transformer {
namespace {

TEST_CASE("random numbers are NumPy's") {
  for (const golden::RandomNumbers& expected : golden::kRandomNumbers) {
    INFO("seed " << expected.seed);
    CHECK(seed_sequence_state(expected.seed) == expected.state);
    NumpyRandom random(expected.seed);
    for (const uint64_t word : expected.words) CHECK(random.next64() == word);
    for (const auto& [bound, numbers] : expected.below) {
      INFO("bound " << bound);
      NumpyRandom choice(expected.seed);
      for (const uint32_t number : numbers) CHECK(choice.below(bound) == number);
    }
  }
}

}  // namespace
}  // namespace transformer
