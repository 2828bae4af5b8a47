#include "kernels/cpu_kernels.h"

#include <algorithm>
#include <atomic>

#include "kernels/cpu/simd.h"

namespace transformer {

static std::atomic<bool> cpu_kernels_enabled = true;

void enable_cpu_kernels(bool enabled) { cpu_kernels_enabled = enabled; }

bool use_cpu_kernel(std::initializer_list<at::Tensor> tensors, std::initializer_list<int64_t> vector_sizes) {
  return cpu_kernels_enabled &&
         std::all_of(tensors.begin(), tensors.end(),
                     [](const at::Tensor& x) {
                       return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
                     }) &&
         std::all_of(vector_sizes.begin(), vector_sizes.end(), [](int64_t size) { return size % cpu::kMaxLanes == 0; });
}

}  // namespace transformer
