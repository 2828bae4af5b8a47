#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "distributed/process_group.h"
#include "serialization/archive.h"

namespace transformer {

/// Tests on this machine whether a resumed run equals an uninterrupted one: trains `steps` steps, resumes that run for
/// `steps` more, and compares the last checkpoint, bit for bit, with that of a second run of twice as many steps. Both
/// runs have the config's batches and seed and are in subdirectories of "DIRECTORY.verify-resume", where DIRECTORY is
/// `training.directory`; the directory is removed if they are equal. `initial_model` as for TrainingRun. All ranks of
/// `group` call it together. Throws Error if the checkpoints differ or training was stopped.
void verify_resume(const Config& config, const std::string& initial_model, torch::Device device,
                   const ProcessGroup& group, int64_t steps);

/// Compares two checkpoint files entry by entry, except the config and times. One text for each tensor or other entry
/// that differs or that only one file has.
std::vector<std::string> checkpoint_differences(const Archive& a, const Archive& b);

}  // namespace transformer
