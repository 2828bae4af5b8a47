#include "data/seen_pairs.h"

#include "catch.h"

namespace transformer {

TEST_CASE("seen pairs finds each hash that was added, however many there are") {
  SeenPairs seen(SIZE_MAX);
  for (uint64_t hash = 0; hash < 100000; ++hash) CHECK_FALSE(seen.add(hash * 1024 + 1));
  for (uint64_t hash = 0; hash < 100000; hash += 7) CHECK(seen.add(hash * 1024 + 1));
  CHECK_FALSE(seen.add(2));
  CHECK_FALSE(seen.has_forgotten());
}

TEST_CASE("seen pairs remembers no more hashes than it may, and says so") {
  SeenPairs seen(2);
  CHECK_FALSE(seen.add(5));
  CHECK_FALSE(seen.add(6));
  CHECK_FALSE(seen.has_forgotten());
  CHECK_FALSE(seen.add(7));
  CHECK(seen.has_forgotten());
  CHECK_FALSE(seen.add(7));
  CHECK(seen.add(5));
}

}  // namespace transformer
