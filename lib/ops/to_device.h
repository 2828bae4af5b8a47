#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace transformer {

/// x on the device. Copies from CPU to GPU are asynchronous, through pinned memory, on the current stream.
torch::Tensor to_device(const torch::Tensor& x, torch::Device device);

/// The numbers as a tensor [count], int64, on the device.
torch::Tensor to_device(const std::vector<int64_t>& numbers, torch::Device device);

}  // namespace transformer
