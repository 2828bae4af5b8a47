#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// The paths of the `count` newest checkpoints of a run directory, oldest first. Throws Error if there are fewer.
std::vector<std::string> newest_checkpoints(const std::string& run_directory, int64_t count);

}  // namespace transformer
