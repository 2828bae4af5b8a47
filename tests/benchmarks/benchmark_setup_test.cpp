#include "benchmarks/benchmark_setup.h"

#include "catch.h"

namespace transformer {

TEST_CASE("median is the middle value, or the mean of the middle two") {
  CHECK(median({3}) == 3);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(median({4, 1, 3, 100}) == 3.5);
}

}  // namespace transformer
