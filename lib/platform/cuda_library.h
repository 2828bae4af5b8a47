#pragma once

#include <c10/util/intrusive_ptr.h>

#include <cstddef>
#include <cstdint>

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace transformer {

/// What the part of the program that links CUDA offers to the part that must run without it. It is a library of its
/// own (libtransformer_cuda.so), found through one C symbol, so that a machine without CUDA never loads it.
struct CudaPart {
  int (*device_count)();
  /// Writes the device's name, e.g. "NVIDIA H200", into `name`.
  void (*device_name)(int device, char* name, size_t size);
  size_t (*device_memory)(int device);  // bytes in all
  uint64_t (*nccl_version)();           // e.g. 22809 for 2.28.9
  /// From now on `group` communicates by NCCL what lies on the device.
  void (*add_nccl)(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device);
};

inline constexpr const char* kCudaPartSymbol = "transformer_cuda_part";
inline constexpr const char* kCudaPartLibrary = "libtransformer_cuda.so";

}  // namespace transformer
