#pragma once

#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace transformer {

/// What a rank says of itself in the store where the ranks meet; the number grows while it lives.
struct LifeSign {
  int64_t number = 0;
  std::string host, what;
  bool waits_for_others = false;
  int64_t waits = 0;  // begun so far; as many on all ranks, since they wait for each other in the same places
};

/// Where the store keeps it.
std::string life_key(int rank);
void write_life_sign(c10d::Store& store, int rank, const LifeSign& sign);

/// "rank 2 of 4 on node7, in step 57: ", by the rank's last sign of life.
std::string describe_rank(c10d::Store& store, int rank, int size);

/// The rank that hangs where `rank` makes no progress: itself, or where it waits for others the one that has come least
/// far, also where that one hangs in a wait that is over.
int rank_waited_for(c10d::Store& store, int rank, int size);

}  // namespace transformer
