#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "distributed/membership.h"

namespace transformer {

using Store = c10::intrusive_ptr<c10d::Store>;

/// A store for a launcher's ranks, on a free port of this machine, which `port` becomes.
Store open_launcher_store(int& port);

/// The store in which ranks leave word for each other. Rank 0 opens it where no launcher has. Throws Error where it is
/// not there within `limit`, or its port is taken.
Store open_store(const Membership& membership, std::chrono::seconds limit);

/// Returns when every rank has come, and all were told of as many ranks. Throws Error, within `limit`, with the ranks
/// that are missing or were told otherwise.
void call_the_roll(const Membership& membership, c10d::Store& store, std::chrono::seconds limit);

}  // namespace transformer
