#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace transformer::stand_in {

/// The memory of the stand-in GPU: host memory that the process may access while a kernel runs, and not otherwise. So a
/// program that reads a GPU's tensor as if it were in CPU memory ends with a segmentation fault, as with a real GPU.
class DeviceMemory {
 public:
  static DeviceMemory& instance();

  /// Throws c10::OutOfMemoryError above the limit, STAND_IN_MEMORY bytes or 1 GiB.
  void* allocate(size_t bytes, int device);
  void free(void* block);
  bool contains(const void* address) const;
  size_t limit() const { return limit_; }
  size_t used() const { return used_; }
  size_t peak() const { return peak_; }

  /// Kernels may nest and run in several threads.
  void begin_kernel();
  void end_kernel();

 private:
  DeviceMemory();
  void set_access(bool allowed);
  /// Ends the part of the address space that is in use at `offset`: each operation pays for its size, since it changes
  /// the access to it.
  void give_back(size_t offset);

  std::mutex mutex_;
  std::byte* begin_;
  size_t limit_, used_ = 0, peak_ = 0;
  size_t touched_ = 0;                      // bytes from the beginning up to the end of the last block
  std::map<size_t, size_t> blocks_, free_;  // by offset: size
  int kernels_ = 0;                         // that run now
};

/// During its lifetime a kernel runs.
struct KernelScope {
  KernelScope() { DeviceMemory::instance().begin_kernel(); }
  ~KernelScope() { DeviceMemory::instance().end_kernel(); }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
};

}  // namespace transformer::stand_in
