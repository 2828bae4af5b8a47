#include "distributed/life_sign.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"

namespace transformer {
namespace {

LifeSign sign_of(const std::string& what, bool waits_for_others, int64_t waits) {
  LifeSign sign;
  sign.host = "node7";
  sign.what = what;
  sign.waits_for_others = waits_for_others;
  sign.waits = waits;
  return sign;
}

}  // namespace

TEST_CASE("a rank is described by its last sign of life") {
  c10d::HashStore store;
  CHECK(describe_rank(store, 2, 4) == "rank 2 of 4: ");
  write_life_sign(store, 2, sign_of("step 57", false, 1));
  CHECK(describe_rank(store, 2, 4) == "rank 2 of 4 on node7, in step 57: ");
}

TEST_CASE("who waits for others names the one that has come least far, who works names itself") {
  c10d::HashStore store;
  for (int rank = 0; rank < 4; ++rank) write_life_sign(store, rank, sign_of("step 3", rank != 2, rank == 2 ? 7 : 8));
  for (int rank = 0; rank < 4; ++rank) CHECK(rank_waited_for(store, rank, 4) == 2);
  CHECK(rank_waited_for(store, 0, 5) == 4);               // which has not come
  write_life_sign(store, 2, sign_of("step 3", true, 7));  // hangs in a wait that is over
  CHECK(rank_waited_for(store, 1, 4) == 2);
  CHECK(rank_waited_for(store, 2, 4) == 2);
  write_life_sign(store, 2, sign_of("step 3", true, 8));
  CHECK(rank_waited_for(store, 1, 4) == 1);  // all wait for each other
}

}  // namespace transformer
