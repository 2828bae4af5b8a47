#pragma once

#include <c10/util/intrusive_ptr.h>

#include <cstddef>
#include <cstdint>

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace transformer {

namespace gpu {
struct KernelTable;
}

/// The functions of libtransformer_cuda.so, the only code that links CUDA. The program loads this library at run time
/// (cuda_loader.h) and finds this struct by one C symbol, so that it starts on machines without CUDA.
struct CudaLibrary {
  int (*device_count)();
  /// Writes the device's name, for example "NVIDIA H200", into `name`, which has `size` bytes.
  void (*device_name)(int device, char* name, size_t size);
  size_t (*device_memory)(int device);  // total memory in bytes
  uint64_t (*nccl_version)();           // 22809 means 2.28.9
  /// Adds an NCCL backend to `group` for tensors on the device.
  void (*add_nccl)(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device);
  const gpu::KernelTable* kernels;
};

inline constexpr const char* kCudaLibrarySymbol = "transformer_cuda_library";
inline constexpr const char* kCudaLibraryFile = "libtransformer_cuda.so";

}  // namespace transformer
