#pragma once

#include <cstdint>
#include <filesystem>

namespace transformer {

// The least limit of this process's control group and of those above it, such as a container's or a Slurm job's.
// Control groups of version 1 and 2. `root` is the directory that has /proc and /sys.

/// The limit of the memory in bytes; the largest number if there is none.
int64_t control_group_memory(const std::filesystem::path& root = "/");

/// The number of processors whose time the processes of the group may use together, such as 1.5 for 150 ms in each
/// 100 ms (`docker run --cpus 1.5`); infinity if there is no limit.
double control_group_processors(const std::filesystem::path& root = "/");

}  // namespace transformer
