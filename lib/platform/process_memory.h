#pragma once

#include <cstdint>

namespace transformer {

/// The largest amount of memory that this process has occupied so far (peak resident set size), in bytes.
int64_t peak_process_bytes();

}  // namespace transformer
