#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "base/error.h"
#include "distributed/own_failure.h"
#include "distributed/process_group.h"

namespace transformer {

/// The c10d objects that ProcessGroup and DistributedDataParallel share. process_group.h, which many files include,
/// leaves them out, because c10d's ProcessGroup.hpp takes long to compile.
struct ProcessGroup::Connection {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

/// The cause in the text of a c10d exception: the line after NCCL's "Last error:", or the first line if there is none.
inline std::string cause_of(const std::string& message) {
  static const std::string kLastError = "Last error:\n";
  const size_t found = message.find(kLastError);
  const std::string last = found == std::string::npos ? "" : first_line(message.substr(found + kLastError.size()));
  return last.empty() ? first_line(message) : last;
}

/// Runs a collective, or a function of the store, which fails when another rank has failed: turns its exceptions into
/// LostConnection, except for failures of this rank.
template <class Collective>
auto rethrow_as_lost_connection(Collective collective) {
  try {
    return collective();
  } catch (const std::exception& failure) {
    if (is_own_failure(failure) || dynamic_cast<const LostConnection*>(&failure) != nullptr) throw;
    throw LostConnection("lost the connection to the other ranks: " + cause_of(failure.what()) +
                         "; see the messages of the other ranks, then run the same command again to resume from the "
                         "last checkpoint");
  }
}

}  // namespace transformer
