#include "run/config_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"

namespace transformer {
namespace {

/// The value in the type of the key: a number, true or false, a string, null, or a list of numbers or
/// strings.
Json typed_value(const Value& value, bool is_text) {
  const auto typed = [&](const std::string& text) { return is_text ? Json(text) : parse_json(text); };
  if (value.kind == Value::Kind::null) return {};
  if (value.kind == Value::Kind::scalar) return typed(value.items[0]);
  Json list = Json::array();
  for (const std::string& item : value.items) list.push_back(typed(item));
  return list;
}

}  // namespace

std::string format_text(const std::vector<KeyDescription>& keys) {
  size_t name_width = 0, type_width = 0, default_width = 0;
  for (const KeyDescription& key : keys) {
    name_width = std::max(name_width, key.name.size());
    type_width = std::max(type_width, key.accepted().size());
    default_width = std::max(default_width, value_text(key.default_value).size());
  }
  std::string text;
  for (const KeyDescription& key : keys) {
    text += fmt::format("{}{:<{}}  {:<{}}  {:<{}}  {}", text.empty() ? "" : "\n", key.name, name_width, key.accepted(),
                        type_width, value_text(key.default_value), default_width, key.meaning);
  }
  return text;
}

std::string format_json(const std::vector<KeyDescription>& keys) {
  Json list = Json::array();
  for (const KeyDescription& key : keys) {
    list.push_back({{"key", key.name},
                    {"type", key.type},
                    {"range", key.range.empty() ? Json() : Json(key.range)},
                    {"nullable", key.nullable},
                    {"default", typed_value(key.default_value, key.is_text)},
                    {"meaning", key.meaning}});
  }
  return json_text(list);
}

std::string format_text(const ResolvedConfig& resolved) {
  std::string yaml = dump_with_origins(resolved);
  yaml.pop_back();  // `print` adds the newline
  return yaml;
}

std::string format_json(const ResolvedConfig& resolved) {
  Config config = resolved.config;  // the fields need an object that can be changed
  Json keys = Json::object();
  for (const Field& field : config_fields(config)) {
    const auto origin = resolved.origins.find(field.name);
    keys[field.name] = {{"value", typed_value(field.get(), field.is_text)},
                        {"origin", origin == resolved.origins.end() ? "default" : origin->second}};
  }
  return json_text({{"files", resolved.files}, {"keys", keys}});
}

}  // namespace transformer
