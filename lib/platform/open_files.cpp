#include "platform/open_files.h"

#include <sys/resource.h>

#include "base/error.h"
#include "base/format.h"

namespace transformer {

void allow_open_files(int64_t count, const char* purpose) {
  const auto needed = static_cast<rlim_t>(count);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  const rlim_t allowed = limit.rlim_cur;
  limit.rlim_cur = needed;
  if (needed <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  throw Error("{} needs {} open files, but this process may open {} only; raise the limit (ulimit -n {})", purpose,
              with_thousands(count), with_thousands(static_cast<int64_t>(allowed)), count);
}

}  // namespace transformer
