#include "cuda/cuda_part.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <cstdio>

// Of torch/csrc/cuda/nccl.h, which wants headers of cuBLAS and others that the small set-up leaves out.
namespace torch::cuda::nccl {
std::uint64_t version();
}

namespace {

int device_count() { return c10::cuda::device_count(); }

void device_name(int device, char* name, size_t size) {
  cudaDeviceProp properties{};
  const bool known = cudaGetDeviceProperties(&properties, device) == cudaSuccess;
  std::snprintf(name, size, "%s", known ? properties.name : "unknown");
}

size_t device_memory(int device) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  size_t free_bytes = 0, total_bytes = 0;
  return cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess ? total_bytes : 0;
}

uint64_t nccl_version() { return torch::cuda::nccl::version(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const transformer::CudaPart transformer_cuda_part;
const transformer::CudaPart transformer_cuda_part = {device_count, device_name, device_memory, nccl_version};
