#include "run/resume_rules.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "run/run_config.h"

namespace transformer {
namespace {

/// The keys that may change when a run is resumed: they set how it began, how long it trains, what it logs, validates
/// and saves, and how a device computes a step, but not the sequence of updates (with the schedule `plateau`, apart
/// from the validation after a last step).
const std::vector<std::string> kMayChange = {"training.tf32",
                                             "training.shard_optimizer",
                                             "training.cpu_kernels",
                                             "training.directory",
                                             "training.init_from",
                                             "training.train_steps",
                                             "training.log_every",
                                             "training.validate_every",
                                             "training.checkpoint_every",
                                             "training.checkpoint_minutes",
                                             "training.keep_checkpoints",
                                             "training.max_epochs",
                                             "training.max_hours",
                                             "training.best_by",
                                             "training.patience",
                                             "training.tensorboard",
                                             "training.device_tokens",
                                             "data.max_dropped",
                                             "data.test.source",
                                             "data.test.target",
                                             "data.valid.source",
                                             "data.valid.target",
                                             "data.valid.name",
                                             "decoding.beam_size",
                                             "decoding.alpha",
                                             "decoding.length_penalty",
                                             "decoding.max_extra_tokens",
                                             "decoding.trees"};

/// kMayChange, without the keys on which the schedule's learning rate depends.
std::vector<std::string> keys_that_may_change(const TrainingConfig& config) {
  auto keys = kMayChange;
  if (config.schedule == Schedule::linear || config.schedule == Schedule::cosine) {
    std::erase(keys, "training.train_steps");
  }
  if (config.schedule == Schedule::plateau) {
    for (const char* key : {"training.validate_every", "training.best_by", "data.valid.source", "data.valid.target"}) {
      std::erase(keys, key);
    }
    if (config.best_by != ValidationMetric::loss) {
      std::erase_if(keys, [](const std::string& key) { return key.starts_with("decoding."); });
    }
  }
  return keys;
}

/// The differences, a line for each, apart from keys that may change; empty if there are none.
std::string forbidden_differences(const Config& then, const Config& now) {
  const auto may_change = keys_that_may_change(now.training);
  const auto must_stay = [&](const std::string& key) {
    return std::find(may_change.begin(), may_change.end(), key) == may_change.end();
  };
  std::string list;
  for (const auto& difference : config_differences(then, now, must_stay)) list += "\n  " + difference;
  return list;
}

/// Whether the first validation sets, which decide what the best validation is, are the same files.
bool have_same_first_validation_set(const DataConfig& one, const DataConfig& other) {
  const auto files = [](const DataConfig& data) {
    const bool validates = !data.valid.source.empty();
    return std::pair(validates ? data.valid.source.front() : "", validates ? data.valid.target.front() : "");
  };
  return files(one) == files(other);
}

}  // namespace

void check_run_directory(const Config& config) {
  const RunDirectory directory(config.training.directory);
  // A run without a checkpoint, for example because its text was not found, may be overwritten.
  if (!std::filesystem::exists(directory.config()) || directory.checkpoints().empty()) return;
  const std::string differences = forbidden_differences(read_run_config(directory), config);
  if (differences.empty()) return;
  throw Error(
      "{}: holds a run whose config differs in the keys below; choose another training.directory, or give --overwrite "
      "to remove that run:{}",
      directory.path(), differences);
}

void check_config_of_checkpoint(const Config& then, const Config& now, const std::string& path) {
  const std::string differences = forbidden_differences(then, now);
  if (differences.empty()) return;
  throw Error(
      "{}: was written by a run whose config differs in the keys below; set them as they were, or choose another "
      "training.directory:{}",
      path, differences);
}

bool validations_are_comparable(const Config& then, const Config& now) {
  const ValidationMetric metric = now.training.best_by;
  return have_same_first_validation_set(then.data, now.data) && then.training.best_by == metric &&
         (metric == ValidationMetric::loss || config_differences(then, now, in_section("decoding")).empty());
}

}  // namespace transformer
