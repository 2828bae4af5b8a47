#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "distributed/process_group.h"

namespace transformer {

/// What ProcessGroup and DataParallel share and the rest of the program need not compile.
struct ProcessGroup::Connection {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
};

}  // namespace transformer
