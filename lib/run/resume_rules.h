#pragma once

#include <string>
#include <vector>

#include "config/stored_config.h"

namespace transformer {

/// The keys that may change when a run with this config is resumed (docs/configuration.md): those of which
/// KeyTraits::may_change says so, without those on which the learning rates of its schedule depend. They set how a run
/// began, how long it trains, what it logs, validates and saves, and how a device computes a step, but not the sequence
/// of updates. Text and prepared data may have other names: the checkpoint has the corpus's checksum. (With the
/// schedule `plateau`, the validation after the last step may reduce the learning rate, so that a run that goes on with
/// more steps may differ from one that had them from the beginning.)
std::vector<std::string> keys_that_may_change(const TrainingConfig& config);

/// Throws Error with a list of the differences if the run directory holds a run with another config, apart from keys
/// that may change (docs/configuration.md). Also throws Error if that config has keys of data or training that this
/// version of the program does not know, and if the directory holds a run that has ended but whose checkpoints are
/// missing.
void check_run_directory(const Config& config);

/// Throws Error with a list of the differences or of unknown keys if a run with the config `now` cannot resume from the
/// checkpoint at `path`, which was written with the config `then`.
void check_config_of_checkpoint(const StoredConfig& then, const Config& now, const std::string& path);

/// Throws UsageError if `initial_model`, the file of `training.init_from`, or a file in `data.vocabulary` is a model of
/// the run in the config's run directory, which --overwrite removes.
void check_overwrite_keeps_inputs(const Config& config, const std::string& initial_model);

/// Whether the value of the best validation so far can be compared with those of the resumed run: it has the same
/// validation text and metric and, if that metric is one of translations, the same search and tokenization.
bool validations_are_comparable(const Config& then, const Config& now);

}  // namespace transformer
