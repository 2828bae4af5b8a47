#pragma once

#include <cstdint>
#include <filesystem>

namespace transformer {

/// The least memory limit, in bytes, of this process's control group and of those above it, such as a container's or a
/// Slurm job's; the largest number if there is none. Control groups of version 1 and 2. `root` is the directory that
/// has /proc and /sys.
int64_t control_group_memory(const std::filesystem::path& root = "/");

/// How many processors' time this process's control group may use, such as 1.5 for 150 ms in each 100 ms (`docker run
/// --cpus 1.5`): the least limit of this group and of those above it, as for control_group_memory(); infinity if there
/// is none.
double control_group_processors(const std::filesystem::path& root = "/");

}  // namespace transformer
