#include "config/fields.h"

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
