#include "settings/fields.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/parse_number.h"

namespace transformer {

std::string value_text(const Value& value) {
  if (value.kind == Value::Kind::null) return "null";
  std::string text;
  for (size_t i = 0; i < value.items.size(); ++i) {
    text += (i == 0 ? "" : ", ") + (value.items[i].empty() ? "\"\"" : value.items[i]);
  }
  return value.kind == Value::Kind::list ? "[" + text + "]" : text;
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::string accepted_values(const Key& key) {
  const auto& range = key.traits.range;
  std::string values = range ? key.type + ", " + range->text() : key.type;
  if (!key.nullable) return values;
  const bool is_list = range || key.type.find(" or ") != std::string::npos;
  return values + (is_list ? ", or null" : " or null");
}

Json typed_value(const KeyValue& key) {
  const auto typed = [&](const std::string& text) { return key.is_string ? Json(text) : parse_json(text); };
  if (key.value.kind == Value::Kind::null) return {};
  if (key.value.kind == Value::Kind::scalar) return typed(key.value.items[0]);
  Json list = Json::array();
  for (const std::string& item : key.value.items) list.push_back(typed(item));
  return list;
}

std::vector<KeyValue> values_of(const std::vector<Field>& fields) {
  std::vector<KeyValue> values;
  for (const Field& field : fields) values.push_back({field, field.get()});
  return values;
}

std::string KeyDifference::text() const {
  return fmt::format("{}: {} there, {} here", key, value_text(there), value_text(here));
}

std::vector<KeyDifference> differences_of(const std::vector<KeyValue>& there, const std::vector<KeyValue>& here,
                                          const std::function<bool(const std::string& key)>& is_compared) {
  std::vector<KeyDifference> differences;
  for (size_t i = 0; i < here.size(); ++i) {
    const std::string& key = here[i].name;
    if (!is_compared(key) || there[i].value == here[i].value) continue;
    differences.push_back({key, there[i].value, here[i].value});
  }
  return differences;
}

std::string text_of(const std::vector<KeyDifference>& differences) {
  std::string all;
  for (const KeyDifference& difference : differences) all += (all.empty() ? "" : "; ") + difference.text();
  return all;
}

}  // namespace transformer

namespace transformer::field_types {

void throw_unexpected(const std::string& expected, const std::string& text) {
  throw Error("expected {}, got '{}'", expected, shown_value(text));
}

const std::string& only_item(const Value& value, const std::string& expected) {
  if (value.kind == Value::Kind::null) throw Error("expected {}, got null", expected);
  if (value.kind == Value::Kind::list) throw Error("expected {}, got a list", expected);
  return value.items[0];
}

int64_t to_integer(const std::string& text) {
  if (const auto number = parse_number<int64_t>(text)) return *number;
  throw_unexpected("a " + FieldType<int64_t>::type(), text);
}

bool to_bool(const std::string& text) {
  for (const char* spelling : {"true", "True", "TRUE"}) {  // those of YAML
    if (text == spelling) return true;
  }
  for (const char* spelling : {"false", "False", "FALSE"}) {
    if (text == spelling) return false;
  }
  throw_unexpected(FieldType<bool>::type(), text);
}

double to_number(const std::string& text) {
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number)) throw_unexpected("a " + FieldType<double>::type(), text);
  return *number;
}

}  // namespace transformer::field_types
