#pragma once

#include <string>

#include "platform/cuda_library.h"

namespace transformer {

/// The CUDA library, which the first call loads; null without a driver, a device or the library itself.
const CudaLibrary* cuda_library();

/// The reason why cuda_library() is null, as a clause without a full stop.
std::string why_no_cuda();

/// Whether a driver is installed, but cuda_library() is null because the driver is too old or the library cannot be
/// loaded. False if the driver shows no device.
bool may_have_unused_gpu();

}  // namespace transformer
