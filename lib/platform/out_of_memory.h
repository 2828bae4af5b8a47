#pragma once

#include <exception>

namespace transformer {

/// The message for the user when memory runs out.
inline constexpr const char* kOutOfMemory =
    "out of memory; give a smaller training.device_tokens, --batch-size or model, or raise the limit (ulimit -v)";

/// Whether `failure` reports that the device or this machine has no free memory left.
bool is_out_of_memory(const std::exception& failure);

}  // namespace transformer
