#include "data/random_permutation.h"

#include <set>

#include "catch.h"

namespace transformer {

TEST_CASE("random permutation contains every number once, in another order for another seed") {
  for (const int64_t size : {1, 2, 3, 17, 1000}) {
    std::set<int64_t> seen;
    const RandomPermutation order(size, 5);
    for (int64_t i = 0; i < size; ++i) seen.insert(order(i));
    CHECK(static_cast<int64_t>(seen.size()) == size);
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == size - 1);
  }
  const RandomPermutation a(1000, 5), b(1000, 6);
  int64_t same = 0, in_place = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    same += a(i) == b(i) ? 1 : 0;
    in_place += a(i) == i ? 1 : 0;
  }
  CHECK(same < 20);
  CHECK(in_place < 20);
}

}  // namespace transformer
