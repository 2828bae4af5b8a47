#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace transformer {

/// The keys that may change when a run with this config is resumed (docs/configuration.md).
std::vector<std::string> keys_that_may_change(const TrainingConfig& config);

/// Throws Error with a list of the differences if the run directory holds a run with another config, apart from keys
/// that may change (docs/configuration.md). Also throws Error if it holds a run that has ended but whose checkpoints
/// are missing.
void check_run_directory(const Config& config);

/// Throws Error with a list of the differences if a run with the config `now` cannot resume from the checkpoint at
/// `path`, which was written with the config `then`.
void check_config_of_checkpoint(const Config& then, const Config& now, const std::string& path);

/// Throws UsageError if `initial_model`, the file of `training.init_from`, or a file in `data.vocabulary` is a model of
/// the run in the config's run directory, which --overwrite removes.
void check_overwrite_keeps_inputs(const Config& config, const std::string& initial_model);

/// Whether the value of the best validation so far can be compared with those of the resumed run: it has the same
/// validation text and metric and, if that metric is one of translations, the same search and tokenization.
bool validations_are_comparable(const Config& then, const Config& now);

}  // namespace transformer
