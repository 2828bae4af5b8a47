#pragma once

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <torch/types.h>

#include <functional>

namespace transformer {

/// While it lives, LibTorch gets no CPU memory for tensors of so many bytes that `is_refused` says so. Operations
/// run in one thread meanwhile, because some kernels allocate memory for every thread.
class LimitedMemory : public c10::Allocator {
 public:
  explicit LimitedMemory(std::function<bool(size_t bytes)> is_refused)
      : is_refused_(std::move(is_refused)), whole_(c10::GetCPUAllocator()), threads_(at::get_num_threads()) {
    at::set_num_threads(1);
    c10::SetCPUAllocator(this);
  }
  ~LimitedMemory() override {
    c10::SetCPUAllocator(whole_);
    at::set_num_threads(threads_);
  }
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;

  c10::DataPtr allocate(size_t bytes) override {
    TORCH_CHECK_WITH(OutOfMemoryError, !is_refused_(bytes), "no ", bytes, " bytes for a test");
    return whole_->allocate(bytes);
  }
  void copy_data(void* to, const void* from, size_t count) const override { default_copy_data(to, from, count); }

 private:
  const std::function<bool(size_t)> is_refused_;
  c10::Allocator* const whole_;
  const int threads_;
};

}  // namespace transformer
