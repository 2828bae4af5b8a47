#pragma once

#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace transformer {

/// State that a rank writes to the store at regular intervals while it is alive.
struct Heartbeat {
  int64_t count = 0;            // increases with every heartbeat
  std::string host, activity;   // "node7", "step 57"
  bool in_collective = false;   // the rank waits for other ranks
  int64_t num_collectives = 0;  // begun so far; the waiting rank that has begun the fewest is behind
};

/// The key of a rank's heartbeat in the store.
std::string heartbeat_key(int rank);
void write_heartbeat(c10d::Store& store, int rank, const Heartbeat& heartbeat);

/// The host of a rank. Waits until the rank has joined, for at most the store's timeout.
std::string host_of_rank(c10d::Store& store, int rank);

/// Beginning of a message about a rank, from its last heartbeat: "rank 2 of 4 on node7, during step 57: ".
std::string describe_rank(c10d::Store& store, int rank, int size);
/// Beginning of a message about a rank on `host` whose activity is known.
std::string describe_rank(int rank, int size, const std::string& host, const std::string& activity);

/// Finds the rank that keeps `rank` from making progress: `rank` itself, or, if it waits in a collective, the rank that
/// has begun the fewest collectives. This rank may itself still wait in a collective that the other ranks have left.
int blocking_rank(c10d::Store& store, int rank, int size);

}  // namespace transformer
