#pragma once

#include <torch/types.h>

namespace transformer {

/// x on the device. Copies from CPU to GPU are asynchronous, through pinned memory, on the current stream.
torch::Tensor to_device(const torch::Tensor& x, torch::Device device);

}  // namespace transformer
