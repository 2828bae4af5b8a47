#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <system_error>

#include "base/error.h"
#include "platform/out_of_memory.h"

namespace transformer {

/// Whether a failed communication has its cause in this rank, and not in another one or in the network: a lack of
/// memory, an error of this rank's GPU, a thread that could not be started, or an error that this program has found.
inline bool is_own_failure(const std::exception& failure) {
  return is_out_of_memory(failure) || dynamic_cast<const c10::AcceleratorError*>(&failure) != nullptr ||
         dynamic_cast<const std::system_error*>(&failure) != nullptr ||
         dynamic_cast<const Error*>(&failure) != nullptr || dynamic_cast<const ReportedFailure*>(&failure) != nullptr;
}

}  // namespace transformer
