#pragma once

#include <torch/torch.h>

#include <string>

#include "platform/cuda_library.h"

namespace transformer {

/// The CUDA part, loaded at the first call; null where there is no driver, no device, or no CUDA part.
const CudaPart* cuda_part();
/// Why cuda_part() is null, as a sentence.
std::string why_no_cuda();

/// "auto" (a CUDA device, else the CPU), "cpu", "cuda" or "cuda:N". Where several processes share this machine, each
/// takes the CUDA device of its number among them, `local_rank` of `local_size`. Throws UsageError.
torch::Device select_device(const std::string& name, int local_rank = 0, int local_size = 1);

/// Memory that the device has in all, bytes, or a container gives of it: what a training slice is fitted to.
int64_t device_memory(torch::Device device);

/// `num_threads` for LibTorch's operations; 0 leaves its own choice, one for each core. Returns the number in use.
int set_num_threads(int num_threads);

}  // namespace transformer
