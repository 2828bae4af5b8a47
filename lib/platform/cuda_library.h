#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
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

struct CudaDevice {
  char name[256];  // such as "NVIDIA H200"
  int compute_capability[2];
  size_t total_bytes, free_bytes;  // of its memory; other programs may take some of what is free
};

/// The functions of libtransformer_cuda.so, the only code that links CUDA. The program loads this library at run time
/// (cuda_loader.h) and finds this struct by one C symbol, so that it starts on machines without CUDA.
struct CudaLibrary {
  const char* commit;  // of the sources that it was built from; the program loads no other
  int (*device_count)();
  CudaDevice (*describe)(int device);
  /// The CUDA version that the driver supports, and that this library was made for: 13000 means 13.0.
  int (*driver_version)();
  int (*runtime_version)();
  uint64_t (*nccl_version)();  // 22809 means 2.28.9
  /// Adds an NCCL backend to `group` for tensors on the device; its collectives fail after `timeout`.
  void (*add_nccl)(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
                   std::chrono::hours timeout);
  const gpu::KernelTable* kernels;
};

inline constexpr const char* kCudaLibrarySymbol = "transformer_cuda_library";
inline constexpr const char* kCudaLibraryFile = "libtransformer_cuda.so";

}  // namespace transformer
