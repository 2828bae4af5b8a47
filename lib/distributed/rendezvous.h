#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "distributed/membership.h"

namespace transformer {

/// Key-value store through which the ranks exchange messages before they are connected, and their heartbeats
/// afterwards.
using Store = c10::intrusive_ptr<c10d::Store>;

/// Raises the limit of open files to what a process needs for the connections to `world_size` ranks. Throws Error if it
/// cannot.
void allow_connections(int world_size);

/// Opens the store of a launcher on this machine, on a free port, which it writes to `port`. Throws Error if it cannot
/// be opened within `timeout`.
Store open_launcher_store(int& port, std::chrono::seconds timeout);

/// Connects to the store; rank 0 opens it unless the launcher has done so. Throws Error if the store does not answer
/// within `timeout` or its port is in use.
Store open_store(const Membership& membership, std::chrono::seconds timeout);

/// Blocks until all ranks have joined. Returns a PrefixStore that only these ranks use, because a launcher may keep its
/// store when it restarts ranks, and ranks of another run may connect to it by mistake. Throws Error, within
/// `timeout` of rank 0's start, if ranks are missing, if they expect another number of ranks, or if two are started
/// with the same number: rank 0 or the rank that does not fit; the others throw ReportedFailure. Once all ranks have
/// joined, a further one cannot disturb them.
Store rendezvous(const Membership& membership, const Store& store, std::chrono::seconds timeout);

/// The membership with this machine's ranks counted, by their host names, where the launcher does not say how many
/// there are. `store` is the one of the rendezvous.
Membership count_local_ranks(Membership membership, const Store& store);

/// The PrefixStore of the latest rendezvous, or the whole store if none has begun.
Store store_of_latest_round(const Store& store);

}  // namespace transformer
