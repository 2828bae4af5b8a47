#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// The paths of the `count` newest checkpoints of a run directory, oldest first. Throws Error if there are fewer.
std::vector<std::string> newest_checkpoints(const std::string& run_directory, int64_t count);

/// Whether best_checkpoints can choose `count` checkpoints, and the one of the best validation is among them.
bool has_best_checkpoints(const std::string& run_directory, int64_t count);

/// The paths of the `count` checkpoints of a run directory with the best validations by `training.best_by` of the run's
/// config, oldest first; of equally good ones the newer. Throws Error if fewer checkpoints were validated.
std::vector<std::string> best_checkpoints(const std::string& run_directory, int64_t count);

}  // namespace transformer
