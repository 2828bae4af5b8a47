#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "base/error.h"
#include "distributed/process_group.h"
#include "platform/out_of_memory.h"

namespace transformer {

/// The c10d objects that ProcessGroup and DistributedDataParallel share, in a header of their own so that no other file
/// has to compile c10d.
struct ProcessGroup::Connection {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

/// What has failed, by an exception's text: what NCCL, which reports it below the place in LibTorch's sources, calls
/// its last error; the first line if there is none.
inline std::string cause_of(const std::string& message) {
  static const std::string kLastError = "Last error:\n";
  const size_t found = message.find(kLastError);
  const std::string last = found == std::string::npos ? "" : first_line(message.substr(found + kLastError.size()));
  return last.empty() ? first_line(message) : last;
}

/// Runs a collective, or a function of the store, and turns its exceptions into LostConnection, because these fail when
/// another rank has failed. Errors of this rank's own GPU, a lack of its own memory, Error and LostConnection stay as
/// they are.
template <class Collective>
auto rethrow_as_lost_connection(Collective collective) {
  try {
    return collective();
  } catch (const std::exception& failure) {
    if (is_out_of_memory(failure) || dynamic_cast<const c10::AcceleratorError*>(&failure) != nullptr ||
        dynamic_cast<const Error*>(&failure) != nullptr || dynamic_cast<const LostConnection*>(&failure) != nullptr) {
      throw;
    }
    throw LostConnection("lost the connection to the other ranks: " + cause_of(failure.what()));
  }
}

}  // namespace transformer
