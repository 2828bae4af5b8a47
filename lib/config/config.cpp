#include "config/config.h"

#include <fmt/core.h>

#include "config/load_config.h"
#include "config/yaml.h"

namespace transformer {

namespace {

/// The members of a section as fields.
template <class Section>
void collect(const std::string& name, Section& section, std::vector<Field>& fields) {
  FieldCollector collector(name, fields);
  visit_fields(collector, section);
}

}  // namespace

std::vector<Field> config_fields(Config& config) {
  std::vector<Field> fields;
  collect("model", config.model, fields);
  collect("data", config.data, fields);
  collect("training", config.training, fields);
  collect("decoding", config.decoding, fields);
  collect("evaluation", config.evaluation, fields);
  return fields;
}

Config ConfigSource::load() const { return load_config(file, overrides); }

std::string dump_config(const Config& config) { return write_yaml(config_values(config), {}); }

std::vector<KeyValue> config_values(const Config& config) {
  Config copy = config;  // the fields need an object that can be changed
  std::vector<KeyValue> values;
  for (const Field& field : config_fields(copy)) values.push_back({field, field.get()});
  return values;
}

std::string ConfigDifference::text() const {
  return fmt::format("{}: {} there, {} here", key, value_text(there), value_text(here));
}

std::vector<ConfigDifference> config_differences(const Config& there, const Config& here,
                                                 const std::function<bool(const std::string& key)>& is_compared) {
  const auto values_there = config_values(there), values_here = config_values(here);
  std::vector<ConfigDifference> differences;
  for (size_t i = 0; i < values_here.size(); ++i) {
    const std::string& key = values_here[i].name;
    const Value &value_there = values_there[i].value, &value_here = values_here[i].value;
    if (is_compared(key) && value_there != value_here) differences.push_back({key, value_there, value_here});
  }
  return differences;
}

std::string text_of(const std::vector<ConfigDifference>& differences) {
  std::string all;
  for (const ConfigDifference& difference : differences) all += (all.empty() ? "" : "; ") + difference.text();
  return all;
}

Config with_head_sizes(Config config) {
  config.model.d_k = config.model.key_size();
  config.model.d_v = config.model.value_size();
  return config;
}

std::function<bool(const std::string& key)> in_section(const std::string& section) {
  return [prefix = section + "."](const std::string& key) { return key.starts_with(prefix); };
}

}  // namespace transformer
