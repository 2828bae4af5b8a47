#include "platform/out_of_memory.h"

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include <new>
#include <string>
#include <string_view>

namespace transformer {

bool is_out_of_cpu_memory(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return true;
  // LibTorch's allocator has no exception type of its own.
  const auto* error = dynamic_cast<const c10::Error*>(&failure);
  return error != nullptr &&
         std::string_view(error->what_without_backtrace()).find("DefaultCPUAllocator") != std::string_view::npos;
}

bool is_out_of_memory(const std::exception& failure) {
  if (is_out_of_cpu_memory(failure)) return true;
  if (dynamic_cast<const c10::OutOfMemoryError*>(&failure) != nullptr) return true;
  static constexpr int kCudaErrorMemoryAllocation = 2;  // if there is no room for a CUDA context, too
  const auto* gpu_error = dynamic_cast<const c10::AcceleratorError*>(&failure);
  if (gpu_error != nullptr) return gpu_error->get_error_code() == kCudaErrorMemoryAllocation;
  const auto* error = dynamic_cast<const c10::Error*>(&failure);
  if (error == nullptr) return false;
  // cuBLAS and NCCL have no exception type of their own.
  const std::string message = error->what_without_backtrace();
  const auto has = [&](const char* part) { return message.find(part) != std::string::npos; };
  return has("CUBLAS_STATUS_ALLOC_FAILED") ||
         (has("CUBLAS_STATUS_NOT_INITIALIZED") && has("cublasCreate")) ||  // no memory for its handle
         (has("NCCL error") && has("'out of memory'"));
}

void empty_gpu_cache() {
  if (at::hasCUDA()) c10::getDeviceAllocator(c10::kCUDA)->emptyCache();
}

}  // namespace transformer
