#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace transformer {

/// The device called `name`: "auto" (a CUDA device, or the CPU if there is none), "cpu", "cuda" or "cuda:N". If several
/// processes share this machine (`local_world_size`), "auto" and "cuda" mean the CUDA device of number `local_rank`;
/// or, with `launcher_may_hide_other_gpus`, the only one if this process sees a single GPU (srun --gpus-per-task=1). A
/// CUDA device becomes the calling thread's current one. Warns if "auto" means the CPU although a driver is installed.
/// Throws UsageError if there is no such device, or if this program does not support it.
torch::Device select_device(const std::string& name, int local_rank = 0, int local_world_size = 1,
                            bool launcher_may_hide_other_gpus = false);

/// The device called `name`, or, if `count` is more than 1, so many CUDA devices of this machine, of which the first
/// becomes the current one. Throws UsageError as select_device does, and if several are asked for on a CPU.
std::vector<torch::Device> select_devices(const std::string& name, int count);

/// The device's total memory in bytes; for a CPU no more than control_group_memory().
int64_t device_memory(torch::Device device);

/// The bytes of the device's memory that this process may use: on a CPU device_memory(), on a GPU what this process
/// has reserved and what is free.
int64_t available_memory(torch::Device device);

/// The largest amount of memory in bytes that this process has occupied so far: on a CUDA device what LibTorch's
/// allocator has reserved, on a CPU the resident set.
int64_t peak_memory(torch::Device device);

/// The name of the processor or GPU, such as "NVIDIA H200".
std::string device_name(torch::Device device);

/// The number of cores that this process may use, by its CPU affinity, where hyperthreads of a core count once, and by
/// control_group_processors(), rounded down; at least 1.
int usable_cores();
/// The same with each hyperthread as a processor of its own.
int usable_processors();

/// Sets the number of threads of the LibTorch operations that the calling thread begins (set_own_threads). 0: the
/// number that the thread had which called this first, so LibTorch's default, OMP_NUM_THREADS or one for each core, but
/// without OMP_NUM_THREADS no more than control_group_processors(). Returns the number in use.
int set_num_threads(int num_threads);
/// Warns if `num_threads`, the threads of all ranks on this machine together, is more than the number of processors
/// that this process may use, hyperthreads included.
void warn_of_oversubscription(int num_threads);

}  // namespace transformer
