#include "distributed/heartbeat.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"

namespace transformer {
namespace {

Heartbeat heartbeat_of(const std::string& activity, bool in_collective, int64_t num_collectives) {
  Heartbeat heartbeat;
  heartbeat.host = "node7";
  heartbeat.activity = activity;
  heartbeat.in_collective = in_collective;
  heartbeat.num_collectives = num_collectives;
  return heartbeat;
}

}  // namespace

TEST_CASE("a rank is described by its last heartbeat") {
  c10d::HashStore store;
  CHECK(describe_rank(store, 2, 4) == "rank 2 of 4: ");
  write_heartbeat(store, 2, heartbeat_of("step 57", false, 1));
  CHECK(describe_rank(store, 2, 4) == "rank 2 of 4 on node7, during step 57: ");
}

TEST_CASE("a rank in a collective is blocked by the rank with the fewest collectives, any other rank by itself") {
  c10d::HashStore store;
  for (int rank = 0; rank < 4; ++rank) {
    write_heartbeat(store, rank, heartbeat_of("step 3", rank != 2, rank == 2 ? 7 : 8));
  }
  for (int rank = 0; rank < 4; ++rank) CHECK(blocking_rank(store, rank, 4) == 2);
  CHECK(blocking_rank(store, 0, 5) == 4);                      // rank 4 has not joined
  write_heartbeat(store, 2, heartbeat_of("step 3", true, 7));  // hangs in a collective that the others have left
  CHECK(blocking_rank(store, 1, 4) == 2);
  CHECK(blocking_rank(store, 2, 4) == 2);
  write_heartbeat(store, 2, heartbeat_of("step 3", true, 8));
  CHECK(blocking_rank(store, 1, 4) == 1);  // all ranks wait in the same collective
}

}  // namespace transformer
