#include "config/load_config.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/home_directory.h"
#include "base/log.h"
#include "config/config_files.h"
#include "config/find_config.h"
#include "config/rules.h"
#include "config/unknown_key.h"
#include "settings/settings.h"
#include "settings/yaml.h"

namespace transformer {
namespace {

/// Replaces the unknown keys of `settings` by faults that explain them.
void refuse_unknown_keys(const std::vector<Field>& fields, Settings& settings) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  size_t num_unknown = 0;
  for (const auto& [key, setting] : settings.take_unknown(fields)) {
    if (++num_unknown > kMaxShownFaults) {  // not shown; to explain many keys would take long
      settings.faults.push_back({setting.location, "unknown key", /*doubtful_keys=*/{}});
      continue;
    }
    const UnknownKey unknown = explain_unknown_key(key, names);
    auto doubtful = unknown.meant;
    doubtful.push_back(key);
    settings.faults.push_back({setting.location, unknown.message, doubtful});
  }
}

/// Expands "~" in all paths, which otherwise would name a directory of this name.
void expand_home_in_paths(Config& config) {
  const auto expand = [](std::string& path) { path = expand_home(path); };
  const auto expand_given = [&](std::optional<std::string>& path) {
    if (path) expand(*path);
  };
  const auto expand_both = [&](ParallelFiles& files) {
    expand(files.source);
    expand(files.target);
  };
  for (ParallelFiles& files : config.data.train) expand_both(files);
  for (ParallelFiles& files : config.data.valid) expand_both(files);
  for (auto* path : {&config.data.test_source, &config.data.test_target, &config.data.vocabulary.source,
                     &config.data.vocabulary.target, &config.training.init_from, &config.evaluation.tokenizer_model}) {
    expand_given(*path);
  }
  expand(config.data.normalization);  // which may be a file of rules
  expand(config.data.prepared);
  expand(config.training.directory);
}

ResolvedConfig resolve(Settings settings) {
  ResolvedConfig resolved;
  const auto fields = config_fields(resolved.config);
  refuse_unknown_keys(fields, settings);
  settings.apply_to(fields);
  expand_home_in_paths(resolved.config);
  settings.add_faults(find_broken_list_rules(settings));
  settings.add_faults(find_broken_rules(resolved.config));
  throw_faults(settings.faults);
  resolved.files = settings.files;
  for (const auto& [key, setting] : settings.values) resolved.origins[key] = setting.location.text;
  return resolved;
}

}  // namespace

ResolvedConfig resolve_config(const std::string& path, const std::vector<std::string>& overrides) {
  const std::string found = find_config(path);
  if (!std::filesystem::exists(found)) {
    const std::string configs = program_configs();
    throw UsageError("{}: there is no such config file; {}", path,
                     configs.empty() ? "check the path" : "the ones that come with the program are in " + configs);
  }
  if (std::filesystem::is_directory(found)) {
    throw UsageError("{}: is a directory; give the path of a config file (a run's is config.yaml in its directory)",
                     path);
  }
  if (found != path) log_info("{}: not found from here, so {} is used", path, found);
  Settings settings = read_settings(found);
  apply_overrides(overrides, settings);
  return resolve(std::move(settings));
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  return resolve_config(path, overrides).config;
}

std::string dump_with_origins(const ResolvedConfig& resolved) {
  std::string files = "# " + resolved.files.front();
  for (size_t i = 1; i < resolved.files.size(); ++i)
    files += (i == 1 ? " extends " : ", which extends ") + resolved.files[i];
  const auto values = config_values(resolved.config);
  std::map<std::string, std::string> comments = resolved.origins;
  for (const Key& key : values) comments.emplace(key.name, "default");
  return files + "\n" + write_yaml(values, comments);
}

}  // namespace transformer
