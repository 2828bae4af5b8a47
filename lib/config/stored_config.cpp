#include "config/stored_config.h"

#include <fmt/core.h>

#include "base/format.h"
#include "config/rules.h"
#include "settings/settings.h"
#include "settings/yaml.h"

namespace transformer {

StoredConfig parse_stored_config(const std::string& text, const std::string& name) {
  StoredConfig stored;
  Settings settings = read_yaml(text, name, config_schema());
  const auto fields = config_fields(stored);
  for (const auto& [key, setting] : settings.take_unknown(fields)) {
    if (key == "model" || in_section("model")(key)) {
      settings.faults.push_back({setting.location, fmt::format("unknown key '{}'", shown_value(key)), {key}});
    } else {
      stored.unknown_keys.push_back(key);
    }
  }
  settings.apply_to(fields);
  settings.add_faults(find_broken_list_rules(settings));
  settings.add_faults(find_broken_model_rules(stored));
  throw_faults_of_stored(settings.faults);
  return stored;
}

}  // namespace transformer
