#define USE_C10D_NCCL
#include "platform/cuda_library.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/csrc/cuda/nccl.h>

#include <cstdio>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "base/build_info.h"

namespace transformer::gpu {
extern const KernelTable cuda_kernels;
}

namespace {

int device_count() { return c10::cuda::device_count(); }

transformer::CudaDevice describe(int device) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  transformer::CudaDevice result{};
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) {
    std::snprintf(result.name, sizeof(result.name), "%s", properties.name);
    result.compute_capability[0] = properties.major;
    result.compute_capability[1] = properties.minor;
  }
  if (cudaMemGetInfo(&result.free_bytes, &result.total_bytes) != cudaSuccess)
    result.free_bytes = result.total_bytes = 0;
  return result;
}

int driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

int runtime_version() { return CUDART_VERSION; }

uint64_t nccl_version() {
  const uint64_t version = torch::cuda::nccl::version();  // packed as major << 32 | minor << 16 | patch
  return 10000 * (version >> 32) + 100 * (version >> 16 & 0xFFFF) + (version & 0xFFFF);
}

void add_nccl(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
              std::chrono::hours timeout) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  group.setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
                   c10::make_intrusive<c10d::ProcessGroupNCCL>(store, group.getRank(), group.getSize(), options));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const transformer::CudaLibrary transformer_cuda_library;
const transformer::CudaLibrary transformer_cuda_library = {
    transformer::kBuildInfo.commit, device_count, describe, driver_version, runtime_version, nccl_version, add_nccl,
    &transformer::gpu::cuda_kernels};
