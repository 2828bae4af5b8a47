#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "distributed/process_group.h"
#include "platform/out_of_memory.h"

namespace transformer {

/// The c10d objects that ProcessGroup and DataParallel share, in a header of their own so that no other file has to
/// compile c10d.
struct ProcessGroup::Connection {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

/// Runs a collective and turns its exceptions into LostConnection, because a collective fails when another rank has
/// failed. Only a lack of this rank's own memory stays as it is.
template <class Collective>
auto rethrow_as_lost_connection(Collective collective) {
  try {
    return collective();
  } catch (const std::exception& failure) {
    if (is_out_of_memory(failure)) throw;
    throw LostConnection("lost the connection to the other ranks: " + first_line(failure));
  }
}

}  // namespace transformer
