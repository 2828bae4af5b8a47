#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "distributed/membership.h"

namespace transformer {

/// Key-value store through which the ranks exchange messages before they are connected, and their heartbeats
/// afterwards.
using Store = c10::intrusive_ptr<c10d::Store>;

/// Opens the store of a launcher on this machine, on a free port, which it writes to `port`.
Store open_launcher_store(int& port);

/// Connects to the store; rank 0 opens it unless the launcher has done so. Throws Error if the store does not answer
/// within `timeout` or its port is in use.
Store open_store(const Membership& membership, std::chrono::seconds timeout);

/// Blocks until all ranks have joined and agree on the world size. Throws Error, within `timeout`, with the ranks that
/// are missing or the world sizes that differ.
void rendezvous(const Membership& membership, c10d::Store& store, std::chrono::seconds timeout);

}  // namespace transformer
