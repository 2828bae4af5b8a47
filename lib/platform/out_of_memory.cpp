#include "platform/out_of_memory.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

namespace transformer {

bool is_out_of_memory(const std::exception& failure) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&failure) != nullptr) return true;
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return true;
  const auto* error = dynamic_cast<const c10::Error*>(&failure);  // the CPU allocator has no exception type of its own
  return error != nullptr &&
         std::string(error->what_without_backtrace()).find("DefaultCPUAllocator") != std::string::npos;
}

}  // namespace transformer
