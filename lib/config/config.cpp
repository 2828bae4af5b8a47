#include "config/config.h"

#include <iterator>

#include "config/load_config.h"
#include "settings/yaml.h"

namespace transformer {

std::vector<Field> config_fields(Config& config) {
  std::vector<Field> fields;
  const auto add = [&](std::vector<Field> section) {
    fields.insert(fields.end(), std::make_move_iterator(section.begin()), std::make_move_iterator(section.end()));
  };
  add(fields_of("model", config.model));
  add(fields_of("data", config.data));
  add(fields_of("training", config.training));
  add(fields_of("decoding", config.decoding));
  add(fields_of("evaluation", config.evaluation));
  return fields;
}

const Schema& config_schema() {
  static const Schema schema(config_values(Config()));
  return schema;
}

Config ConfigSource::load() const { return load_config(file, overrides); }

std::string ConfigSource::place_of(const std::string& key) const {
  const auto origins = resolve_config(file, overrides).origins;
  const auto origin = origins.find(key);
  return origin == origins.end() ? file : origin->second;
}

std::string dump_config(const Config& config) { return write_yaml(config_values(config), {}); }

std::vector<KeyValue> config_values(const Config& config) {
  Config copy = config;  // the fields need an object that can be changed
  return values_of(config_fields(copy));
}

std::vector<KeyDifference> config_differences(const Config& there, const Config& here,
                                              const std::function<bool(const std::string& key)>& is_compared) {
  return differences_of(config_values(there), config_values(here), is_compared);
}

std::function<bool(const std::string& key)> in_section(const std::string& section) {
  return [prefix = section + "."](const std::string& key) { return key.starts_with(prefix); };
}

}  // namespace transformer
