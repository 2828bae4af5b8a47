#include "config/config_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"

namespace transformer {
std::string format_text(const std::vector<KeyValue>& defaults) {
  size_t name_width = 0, type_width = 0, default_width = 0;
  for (const KeyValue& key : defaults) {
    name_width = std::max(name_width, key.name.size());
    type_width = std::max(type_width, accepted_values(key).size());
    default_width = std::max(default_width, value_text(key.value).size());
  }
  std::string text;
  for (const KeyValue& key : defaults) {
    text += fmt::format("{}{:<{}}  {:<{}}  {:<{}}  {}", text.empty() ? "" : "\n", key.name, name_width,
                        accepted_values(key), type_width, value_text(key.value), default_width, key.help);
  }
  return text;
}

std::string format_json(const std::vector<KeyValue>& defaults) {
  Json list = Json::array();
  for (const KeyValue& key : defaults) {
    const auto& range = key.traits.range;
    list.push_back({{"key", key.name},
                    {"type", key.type},
                    {"range", range ? Json(range->text()) : Json()},
                    {"nullable", key.nullable},
                    {"default", typed_value(key)},
                    {"meaning", key.help}});
  }
  return json_text(list);
}

std::string format_text(const ResolvedConfig& resolved) {
  std::string yaml = dump_with_origins(resolved);
  yaml.pop_back();  // `print` adds the newline
  return yaml;
}

std::string format_json(const ResolvedConfig& resolved) {
  Json keys = Json::object();
  for (const KeyValue& key : config_values(resolved.config)) {
    const auto origin = resolved.origins.find(key.name);
    keys[key.name] = {{"value", typed_value(key)},
                      {"origin", origin == resolved.origins.end() ? "default" : origin->second}};
  }
  return json_text({{"files", resolved.files}, {"keys", keys}});
}

}  // namespace transformer
