#include "ops/to_device.h"

namespace transformer {

torch::Tensor to_device(const torch::Tensor& x, torch::Device device) {
  return x.is_cpu() && device.is_cuda() ? x.pin_memory().to(device, /*non_blocking=*/true) : x.to(device);
}

torch::Tensor to_device(const std::vector<int64_t>& numbers, torch::Device device) {
  return to_device(torch::tensor(numbers), device);
}

}  // namespace transformer
