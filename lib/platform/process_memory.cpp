#include "platform/process_memory.h"

#include <sys/resource.h>

namespace transformer {

int64_t peak_process_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

}  // namespace transformer
