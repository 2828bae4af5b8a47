#pragma once

#include <torch/types.h>

namespace transformer {

/// x on the device. Nobody waits for a copy to a GPU: it goes by way of pinned memory and arrives before what is
/// launched later.
torch::Tensor to_device(const torch::Tensor& x, torch::Device device);

}  // namespace transformer
