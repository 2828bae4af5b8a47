#pragma once

#include <exception>

namespace transformer {

inline constexpr const char* kOutOfMemory =
    "out of memory; give a smaller training.device_tokens, --batch-size or model";

/// Whether it says that the device, or this machine, has no more memory to give.
bool is_out_of_memory(const std::exception& failure);

}  // namespace transformer
