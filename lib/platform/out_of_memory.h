#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "base/format.h"
#include "base/log.h"

namespace transformer {

/// The message for the user when memory runs out.
inline constexpr const char* kOutOfMemory =
    "out of memory; give a smaller batch size, beam size or model, in training a smaller training.device_tokens, or "
    "fewer threads or workers, or raise the limit (ulimit -v)";

/// Whether `failure` reports that the device or this machine has no free memory left.
bool is_out_of_memory(const std::exception& failure);

/// Whether `failure` reports that this machine has no free memory left.
bool is_out_of_cpu_memory(const std::exception& failure);

/// Returns to the GPUs the memory that LibTorch's allocator keeps for later tensors: cuBLAS, NCCL and the driver take
/// memory beside it. Does nothing without a GPU.
void empty_gpu_cache();

/// Returns work(size). When memory runs out, warns and repeats the work with half the size, down to 1; `what` names the
/// work and `unit` what the size counts: "validation", "token".
template <class Work>
auto halve_until_it_fits(const std::string& what, const std::string& unit, int64_t size, Work work) {
  for (;; size /= 2) {
    try {
      return work(size);
    } catch (const std::exception& failure) {
      if (!is_out_of_memory(failure) || size <= 1) throw;
    }
    // After the catch block, so that what the exception holds is freed before the work is repeated.
    empty_gpu_cache();
    log_warning("{}: out of memory with batches of {}; repeated with batches of {}", what, counted(size, unit),
                counted(size / 2, unit));
  }
}

}  // namespace transformer
