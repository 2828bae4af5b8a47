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

/// Whether the key is one that inference needs.
bool matters(const std::string& key) { return is_in("model", key) || is_in("decoding", key); }

/// Removes what is given, and what is wrong, in sections that inference does not need.
void keep_what_matters(Settings& settings) {
  std::erase_if(settings.values, [](const auto& value) { return !matters(value.first); });
  std::erase_if(settings.faults, [](const Fault& fault) {
    const auto& keys = fault.doubtful_keys;
    return !keys.empty() && std::none_of(keys.begin(), keys.end(), matters);
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

}  // namespace

InferenceConfig read_inference_config(const std::string& yaml, const std::string& path) {
  const std::string name = path + " (config)";
  InferenceConfig config;
  std::vector<Field> fields = fields_of("model", config.model);
  std::vector<Field> decoding = fields_of("decoding", config.decoding);
  std::move(decoding.begin(), decoding.end(), std::back_inserter(fields));
  Settings settings = read_yaml(yaml, name, Schema(fields));
  keep_what_matters(settings);
  take_unknown_keys(fields, name, settings);
  settings.apply_to(fields);
  Rules rules;
  check_model(config.model, /*max_length=*/std::nullopt, rules);
  settings.add_faults(rules.broken());
  throw_faults_of_stored(settings.faults);
  return config;
}

}  // namespace transformer
