#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "platform/out_of_memory.h"
#include "distributed/process_group.h"

namespace transformer {

/// What ProcessGroup and DataParallel share and the rest of the program need not compile.
struct ProcessGroup::Connection {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

/// What communication throws is another rank's failure, seen from here, but for memory of our own.
template <class Work>
auto or_lost(Work work) {
  try {
    return work();
  } catch (const std::exception& failure) {
    if (is_out_of_memory(failure)) throw;
    const std::string what = failure.what();
    throw LostConnection("the connection to the other ranks broke: " + what.substr(0, what.find('\n')));
  }
}

}  // namespace transformer
