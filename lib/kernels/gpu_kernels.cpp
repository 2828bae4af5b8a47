#include "kernels/gpu_kernels.h"

#include <algorithm>
#include <atomic>

#include "kernels/gpu/host_block.h"
#include "kernels/gpu/kernel_table.h"
#include "platform/cuda_loader.h"

namespace transformer {

static std::atomic<bool> runs_on_host = false;

void run_gpu_kernels_on_host(bool enabled) { runs_on_host = enabled; }

bool use_gpu_kernel(std::initializer_list<at::Tensor> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& x) {
    return (x.is_cuda() || (x.is_cpu() && runs_on_host)) &&
           (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf);
  });
}

const gpu::KernelTable& gpu_kernels(const at::Tensor& x) {
  static constexpr gpu::KernelTable kOnHost = gpu::make_kernel_table<gpu::HostLauncher>();
  return x.is_cuda() ? *cuda_library()->kernels : kOnHost;
}

}  // namespace transformer
