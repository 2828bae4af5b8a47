#include "config/stored_config.h"

#include <fmt/core.h>

#include <utility>

#include "base/format.h"
#include "config/rules.h"
#include "settings/settings.h"
#include "settings/yaml.h"

namespace transformer {

namespace {

bool is_about_model(const std::string& key) { return key == "model" || in_section("model")(key); }

/// Sets the fields. A value that a field does not accept becomes one of the unknown keys, unless it is about the model.
void apply(const std::vector<Field>& fields, Settings& settings, StoredConfig& stored) {
  std::vector<Fault> faults = std::move(settings.faults);
  settings.faults.clear();
  settings.apply_to(fields);
  for (Fault& fault : settings.faults) {
    const std::string& key = fault.doubtful_keys.at(0);
    if (is_about_model(key)) {
      faults.push_back(std::move(fault));
    } else {
      stored.unknown_keys.push_back(fmt::format("{}: {}", key, shown_value(value_text(settings.values.at(key).value))));
    }
  }
  settings.faults = std::move(faults);
}

}  // namespace

StoredConfig parse_stored_config(const std::string& text, const std::string& name, const std::string& program) {
  StoredConfig stored;
  Settings settings = read_yaml(text, name, config_schema());
  const auto fields = config_fields(stored);
  for (const auto& [key, setting] : settings.take_unknown(fields)) {
    if (is_about_model(key)) {
      settings.faults.push_back({setting.location, fmt::format("unknown key '{}'", shown_value(key)), {key}});
    } else {
      stored.unknown_keys.push_back(key);
    }
  }
  apply(fields, settings, stored);
  settings.add_faults(find_broken_list_rules(settings));
  settings.add_faults(find_broken_model_rules(stored));
  throw_faults_of_stored(settings.faults, program);
  return stored;
}

}  // namespace transformer
