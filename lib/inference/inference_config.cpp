#include "inference/inference_config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/format.h"
#include "base/log.h"
#include "model/model_rules.h"
#include "settings/settings.h"
#include "settings/yaml.h"

namespace transformer {
namespace {

bool is_in(const std::string& section, const std::string& key) {
  return key == section || key.starts_with(section + ".");
}

/// Removes what is given, and what is wrong, in other sections.
void keep_sections(const std::vector<std::string>& sections, Settings& settings) {
  const auto is_kept = [&](const std::string& key) {
    return std::any_of(sections.begin(), sections.end(),
                       [&](const std::string& section) { return is_in(section, key); });
  };
  std::erase_if(settings.values, [&](const auto& value) { return !is_kept(value.first); });
  std::erase_if(settings.faults, [&](const Fault& fault) {
    const auto& keys = fault.doubtful_keys;
    return !keys.empty() && std::none_of(keys.begin(), keys.end(), is_kept);
  });
}

/// Handles the keys that this version of the program does not know.
void take_unknown_keys(const std::vector<Field>& fields, const std::string& name, Settings& settings) {
  std::vector<std::string> ignored;
  for (const auto& [key, setting] : settings.take_unknown(fields)) {
    if (is_in("decoding", key)) {
      ignored.push_back(shown_value(key));
    } else {
      settings.faults.push_back({setting.location, fmt::format("unknown key '{}'", shown_value(key)), {key}});
    }
  }
  if (ignored.empty()) return;
  log_warning("{}: this version of the program does not know {}, which has no effect on its search", name,
              fmt::join(ignored, ", "));
}

/// Sets the fields. Values of `decoding` that they do not accept are ignored with a warning.
void apply(const std::vector<Field>& fields, const std::string& name, Settings& settings) {
  settings.apply_to(fields);
  std::erase_if(settings.faults, [&](const Fault& fault) {
    const auto& keys = fault.doubtful_keys;
    const bool is_ignored = keys.size() == 1 && is_in("decoding", keys.front());
    if (is_ignored) {
      log_warning("{}: {}; this version of the program does not accept that value and uses its default", name,
                  fault.message);
    }
    return is_ignored;
  });
}

/// Sets the fields, which are those of the sections. `model` is the struct of the section `model`. Returns what the
/// text gives.
Settings read_sections(const std::string& yaml, const std::string& path, const std::vector<std::string>& sections,
                       const std::vector<Field>& fields, const ModelConfig& model, const std::string& program) {
  const std::string name = path + " (config)";
  const Settings given = read_yaml(yaml, name, Schema(fields));
  Settings settings = given;
  keep_sections(sections, settings);
  take_unknown_keys(fields, name, settings);
  apply(fields, name, settings);
  Rules rules;
  check_model(model, /*max_length=*/std::nullopt, rules);
  settings.add_faults(rules.broken());
  throw_faults_of_stored(settings.faults, program);
  return given;
}

}  // namespace

InferenceConfig read_inference_config(const std::string& yaml, const std::string& path, const std::string& program) {
  InferenceConfig config;
  std::vector<Field> fields = fields_of("model", config.model);
  std::vector<Field> decoding = fields_of("decoding", config.decoding);
  std::move(decoding.begin(), decoding.end(), std::back_inserter(fields));
  const Settings given = read_sections(yaml, path, {"model", "decoding"}, fields, config.model, program);
  const auto tags = given.values.find("data.train.tag");
  if (tags != given.values.end()) config.tags = tags->second.value.items;
  return config;
}

ModelConfig read_model_config(const std::string& yaml, const std::string& path, const std::string& program) {
  ModelConfig config;
  read_sections(yaml, path, {"model"}, fields_of("model", config), config, program);
  return config;
}

}  // namespace transformer
