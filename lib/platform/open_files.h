#pragma once

#include <cstdint>

namespace transformer {

/// Raises the limit of open files (RLIMIT_NOFILE) to `count` if it is lower. Throws Error, whose message says that
/// `purpose` needs them, if this process may not.
void allow_open_files(int64_t count, const char* purpose);

}  // namespace transformer
