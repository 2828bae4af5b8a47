#pragma once

#include <cstdint>
#include <filesystem>

namespace transformer {

/// The least memory limit, in bytes, of this process's control group and of those above it, such as a container's or a
/// Slurm job's; the largest number if there is none. Control groups of version 1 and 2. `root` is the directory that
/// has /proc and /sys.
int64_t control_group_memory(const std::filesystem::path& root = "/");

}  // namespace transformer
