#include "kernels/gpu_kernels.h"

#include <algorithm>
#include <atomic>

#include "kernels/gpu/kernel_table.h"
#include "platform/cuda_loader.h"

namespace transformer {

static std::atomic<const gpu::KernelTable*> table_on_host = nullptr;

void run_gpu_kernels_on_host(const gpu::KernelTable* table) { table_on_host = table; }

bool use_gpu_kernel(std::initializer_list<at::Tensor> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& x) {
    return (x.is_cuda() || (x.is_cpu() && table_on_host != nullptr)) &&
           (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf);
  });
}

const gpu::KernelTable& gpu_kernels(const at::Tensor& x) {
  return x.is_cuda() ? *cuda_library()->kernels : *table_on_host;
}

}  // namespace transformer
