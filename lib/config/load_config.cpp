#include "config/load_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "config/find_config.h"
#include "config/range.h"
#include "config/rules.h"
#include "config/settings.h"
#include "config/unknown_key.h"
#include "config/yaml.h"

namespace transformer {
namespace {

/// The number of faults that are shown; more are only counted.
constexpr size_t kMaxShownFaults = 20;

/// Throws UsageError with the faults in the order of their locations, one line for each.
[[noreturn]] void throw_faults(const std::vector<Fault>& faults) {
  std::multimap<Location, std::string> lines;
  for (const Fault& fault : faults) {
    lines.emplace(fault.location, fmt::format("{}: {}", fault.location.text, fault.message));
  }
  if (faults.size() == 1) throw UsageError("{}", lines.begin()->second);
  std::string text = fmt::format("the config has {} errors:", faults.size());
  size_t num_shown = 0;
  for (const auto& [location, line] : lines) {
    if (++num_shown <= kMaxShownFaults) text += "\n  " + line;
  }
  if (faults.size() > kMaxShownFaults) text += fmt::format("\n  and {} more", faults.size() - kMaxShownFaults);
  throw UsageError("{}", text);
}

/// Sets the field. Returns what is wrong with the value; an empty text if nothing is.
std::string set_field(const Field& field, const Value& value) {
  try {
    field.set(value);
  } catch (const Error& misfit) {
    return fmt::format("{}: {}", field.name, misfit.what());
  }
  const Range* range = range_of(field.name);
  if (range == nullptr) return "";
  for (const std::string& number : field.get().items) {
    if (range->contains(field_types::to_number(number))) continue;
    return fmt::format("{} must be {}, got {}", field.name, range->text(), number);
  }
  return "";
}

Fault unknown_key_fault(const std::string& key, const Location& location, const std::vector<std::string>& names) {
  const UnknownKey unknown = explain_unknown_key(key, names);
  auto doubtful = unknown.meant;
  doubtful.push_back(key);
  return {location, unknown.message, doubtful};
}

/// The values in the order in which they are given.
std::vector<std::pair<std::string, Setting>> by_location(const std::map<std::string, Setting>& values) {
  std::multimap<Location, std::pair<std::string, Setting>> sorted;
  for (const auto& value : values) sorted.emplace(value.second.location, value);
  std::vector<std::pair<std::string, Setting>> list;
  for (auto& [location, value] : sorted) list.push_back(std::move(value));
  return list;
}

/// Sets the config's fields to the values. Adds what is wrong with single keys to `faults`.
void set_fields(const std::map<std::string, Setting>& values, Config& config, std::vector<Fault>& faults) {
  const std::vector<Field> fields = config_fields(config);
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  size_t num_unknown = 0;
  for (const auto& [key, setting] : by_location(values)) {
    const auto found = std::find(names.begin(), names.end(), key);
    if (found != names.end()) {
      const std::string misfit = set_field(fields[static_cast<size_t>(found - names.begin())], setting.value);
      if (!misfit.empty()) faults.push_back({setting.location, misfit, {key}});
    } else if (++num_unknown <= kMaxShownFaults) {
      faults.push_back(unknown_key_fault(key, setting.location, names));
    } else {  // not shown; to explain many keys would take long
      faults.push_back({setting.location, "unknown key", /*doubtful_keys=*/{}});
    }
  }
}

bool is_doubtful(const std::string& key, const std::vector<Fault>& faults) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
    const auto& keys = fault.doubtful_keys;
    return keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end();
  });
}

/// The place of the first of the keys that is given; the whole file if none is.
Location location_of(const std::vector<std::string>& keys, const Settings& settings) {
  for (const std::string& key : keys) {
    const auto setting = settings.values.find(key);
    if (setting != settings.values.end()) return setting->second.location;
  }
  return {settings.files.front()};
}

/// The broken rules of `rules`, except for those about keys whose values are not known.
std::vector<Fault> faults_of_rules(const std::vector<BrokenRule>& rules, const Settings& settings,
                                   const std::vector<Fault>& faults) {
  std::vector<Fault> broken;
  for (const BrokenRule& rule : rules) {
    const bool is_known = std::none_of(rule.keys.begin(), rule.keys.end(),
                                       [&](const std::string& key) { return is_doubtful(key, faults); });
    if (is_known) broken.push_back({location_of(rule.keys, settings), rule.message, rule.keys});
  }
  return broken;
}

/// `find_rules` returns the broken rules that count.
ResolvedConfig resolve(const Settings& settings, std::vector<BrokenRule> (*find_rules)(const Config&)) {
  ResolvedConfig resolved;
  std::vector<Fault> faults = settings.faults;
  set_fields(settings.values, resolved.config, faults);
  const auto broken = faults_of_rules(find_rules(resolved.config), settings, faults);
  faults.insert(faults.end(), broken.begin(), broken.end());
  if (!faults.empty()) throw_faults(faults);
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
  return resolve(settings, find_broken_rules);
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  return resolve_config(path, overrides).config;
}

Config parse_config(const std::string& text, const std::string& name) {
  return resolve(read_yaml(text, name), find_broken_model_rules).config;
}

Config parse_stored_config(const std::string& text, const std::string& name) {
  try {
    return parse_config(text, name);
  } catch (const UsageError& misfit) {
    throw DamagedFile("{}; use the version of this program that wrote it, or an undamaged copy", misfit.what());
  }
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
