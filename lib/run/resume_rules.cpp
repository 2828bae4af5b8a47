#include "run/resume_rules.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/same_path.h"
#include "model/run_files.h"
#include "reporting/run_facts.h"
#include "run/architecture.h"
#include "run/run_config.h"

namespace transformer {
namespace {

/// Sets `path` to `other` if both are spellings of the same path.
void take_same_path(std::string& path, const std::string& other) {
  if (is_same_path(path, other)) path = other;
}

/// The older config with the paths of the other one where both are spellings of the same path.
Config with_same_paths(Config then, const Config& now) {
  const auto take_same_files = [](auto& texts, const auto& others) {
    for (size_t i = 0; i < std::min(texts.size(), others.size()); ++i) {
      take_same_path(texts[i].source, others[i].source);
      take_same_path(texts[i].target, others[i].target);
    }
  };
  take_same_path(then.data.prepared, now.data.prepared);
  take_same_files(then.data.train, now.data.train);
  take_same_files(then.data.valid, now.data.valid);
  const auto take_same_vocabulary = [](std::optional<std::string>& path, const std::optional<std::string>& other) {
    if (path && other) take_same_path(*path, *other);
  };
  take_same_vocabulary(then.data.vocabulary.source, now.data.vocabulary.source);
  take_same_vocabulary(then.data.vocabulary.target, now.data.vocabulary.target);
  return then;
}

/// The differences in keys that may not change.
std::vector<KeyDifference> forbidden_differences(const Config& then, const Config& now) {
  const auto may_change = keys_that_may_change(now.training);
  return config_differences(with_same_paths(then, now), now, [&](const std::string& key) {
    return std::find(may_change.begin(), may_change.end(), key) == may_change.end();
  });
}

/// A line for each difference.
std::string list_of(const std::vector<KeyDifference>& differences, const TrainingConfig& config) {
  std::string list;
  for (const KeyDifference& difference : differences) {
    list += "\n  " + difference.text();
    if (config_schema().find(difference.key)->traits.may_change) {
      list += fmt::format(" (the learning rates of training.schedule {} depend on it)", name_of(config.schedule));
    }
  }
  return list;
}

/// Whether the first validation sets, which decide what the best validation is, are the same files.
bool have_same_first_validation_set(const DataConfig& one, const DataConfig& other) {
  if (one.valid.empty() || other.valid.empty()) return one.valid.empty() == other.valid.empty();
  const ValidationSet &first = one.valid.front(), &other_first = other.valid.front();
  return first.source == other_first.source && first.target == other_first.target;
}

/// Throws Error if the config at `path` has keys that this version does not know and that may be about the updates.
void check_knows_keys(const StoredConfig& then, const std::string& path) {
  std::vector<std::string> unknown = then.unknown_keys;
  std::erase_if(unknown,
                [](const std::string& key) { return in_section("decoding")(key) || in_section("evaluation")(key); });
  if (unknown.empty()) return;
  throw Error(
      "{}: the run's config has keys or values that this version of the program does not know ({}), so that its "
      "updates may have been others; resume it with the version that wrote it, or start from its model with "
      "training.init_from in another training.directory",
      path, fmt::join(unknown, ", "));
}

/// Throws Error if the run has ended with a checkpoint, although there is none. A run that ended before its first
/// checkpoint, for example because its text was not found or it was stopped at once, is begun again.
void check_lost_no_checkpoints(const RunFiles& directory) {
  if (!std::filesystem::exists(directory.facts())) return;
  const RunStatus status = read_run_facts(directory.facts()).status;
  const auto has_metrics = [&] {
    return std::filesystem::exists(directory.metrics()) && std::filesystem::file_size(directory.metrics()) > 0;
  };
  if (status != RunStatus::finished && !(status == RunStatus::stopped && has_metrics())) return;
  throw Error(
      "{}: holds a {} run without its checkpoints step-*.safetensors, so that it cannot be resumed; choose another "
      "training.directory, or give --overwrite to remove that run",
      directory.path(), name_of(status));
}

}  // namespace

std::vector<std::string> keys_that_may_change(const TrainingConfig& config) {
  std::vector<std::string> keys;
  for (const Key& key : config_schema().keys()) {
    if (key.traits.may_change) keys.push_back(key.name);
  }
  // Remove the keys on which the schedule's learning rates depend.
  if (ends_at_zero(config.schedule)) std::erase(keys, "training.train_steps");
  if (config.schedule == Schedule::plateau) {
    for (const char* key : {"training.validate_every", "training.best_by", "data.valid.source", "data.valid.target"}) {
      std::erase(keys, key);
    }
    if (config.best_by != ValidationMetric::loss) {
      std::erase_if(
          keys, [](const std::string& key) { return key.starts_with("decoding.") || key.starts_with("evaluation."); });
    }
  }
  return keys;
}

void check_run_directory(const Config& config) {
  const RunFiles directory(config.training.directory);
  if (!std::filesystem::exists(directory.config())) return;
  if (directory.checkpoints().empty()) {
    check_lost_no_checkpoints(directory);
    return;
  }
  const StoredConfig then = read_run_config(directory);
  check_knows_keys(then, directory.config());
  if (config.training.init_from && !then.training.init_from) {
    throw Error(
        "{}: holds a run that began with random parameters, and training.init_from is only for a new run; choose "
        "another training.directory, or leave training.init_from out to resume that run",
        directory.path());
  }
  const auto differences = forbidden_differences(then, config);
  if (differences.empty()) return;
  const bool is_same_model = architecture_differences(then.model, config.model).empty() &&
                             std::none_of(differences.begin(), differences.end(), [](const KeyDifference& difference) {
                               return difference.key.starts_with("data.vocabulary");
                             });
  const std::string start =
      is_same_model ? fmt::format(" (with training.init_from={} to start from its model)", directory.path()) : "";
  throw Error(
      "{}: holds a run whose config differs in the keys below; choose another training.directory{}, or give "
      "--overwrite to remove that run:{}",
      directory.path(), start, list_of(differences, config.training));
}

void check_config_of_checkpoint(const StoredConfig& then, const Config& now, const std::string& path) {
  check_knows_keys(then, path);
  const auto differences = forbidden_differences(then, now);
  if (differences.empty()) return;
  throw Error(
      "{}: was written by a run whose config differs in the keys below; set them as they were, or choose another "
      "training.directory:{}",
      path, list_of(differences, now.training));
}

bool validations_are_comparable(const Config& then, const Config& now) {
  const ValidationMetric metric = now.training.best_by;
  const auto is_same = [&](const char* section) { return config_differences(then, now, in_section(section)).empty(); };
  return have_same_first_validation_set(with_same_paths(then, now).data, now.data) && then.training.best_by == metric &&
         (metric == ValidationMetric::loss || (is_same("decoding") && is_same("evaluation")));
}

void check_overwrite_keeps_inputs(const Config& config, const std::string& initial_model) {
  const std::string& directory = config.training.directory;
  const auto check = [&](const char* key, const std::string& model) {
    const bool is_checkpoint = is_same_path(run_of_checkpoint(model).value_or(""), directory);
    const RunFiles run(directory);
    if (!is_checkpoint && !is_same_path(model, run.averaged()) && !is_same_path(model, run.old_averaged())) return;
    throw UsageError(
        "{}: {} is a model of the run that --overwrite removes; give another training.directory, or a copy of that "
        "file",
        key, model);
  };
  if (!initial_model.empty()) check("training.init_from", initial_model);
  if (config.data.vocabulary.source) check("data.vocabulary", *config.data.vocabulary.source);
  if (config.data.vocabulary.target) check("data.vocabulary", *config.data.vocabulary.target);
}

}  // namespace transformer
