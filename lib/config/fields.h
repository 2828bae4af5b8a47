#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/enum_names.h"
#include "base/format.h"

namespace transformer {

/// A config value as text, before its type is known, as read from YAML or from --set.
struct Value {
  enum class Kind { null, scalar, list };
  Kind kind = Kind::null;
  std::vector<std::string> items;  // exactly one for a scalar

  static Value scalar(std::string text) { return {Kind::scalar, {std::move(text)}}; }
  bool operator==(const Value&) const = default;
};

/// The value as a config file has it: "null", "6", "[0.5, 2]".
std::string value_text(const Value& value);

/// A key of the config.
struct Key {
  std::string name;  // with its sections: "data.train.source"
  std::string help;
  std::string type;        // of values other than null: "whole number", "sinusoidal or learned"
  bool is_string = false;  // whether its values are strings, or names of an enumeration
  bool nullable = false;   // whether null is a value
};

/// "source" of the key "data.train.source".
std::string last_part(const std::string& key);

/// A key and its value in a config.
struct KeyValue : Key {
  Value value;
};

/// A key and the member of a config struct that holds its value.
struct Field : Key {
  std::function<void(const Value&)> set;  // throws Error("expected ...") if the value has another type
  std::function<Value()> get;
};

namespace field_types {

int64_t to_integer(const std::string& text);
bool to_bool(const std::string& text);
double to_number(const std::string& text);
const std::string& only_item(const Value& value, const std::string& expected);
[[noreturn]] void throw_unexpected(const std::string& expected, const std::string& text);

/// The type of a key: its name without null, as messages and `config --list` show it, and conversions of its values.
template <class T>
struct FieldType;

/// Whether the values of a type are strings, or names of an enumeration.
template <class T>
constexpr bool kIsString = !std::is_arithmetic_v<T>;
template <>
inline constexpr bool kIsString<std::vector<double>> = false;
template <class T>
constexpr bool kIsString<std::optional<T>> = kIsString<T>;

template <class T>
constexpr bool kIsNullable = false;
template <class T>
constexpr bool kIsNullable<std::optional<T>> = true;

template <>
struct FieldType<int64_t> {
  static std::string type() { return "whole number"; }
  static int64_t parse(const Value& v) { return to_integer(only_item(v, "a " + type())); }
  static Value print(int64_t v) { return Value::scalar(std::to_string(v)); }
};
template <>
struct FieldType<bool> {
  static std::string type() { return "true or false"; }
  static bool parse(const Value& v) { return to_bool(only_item(v, type())); }
  static Value print(bool v) { return Value::scalar(v ? "true" : "false"); }
};
template <>
struct FieldType<double> {
  static std::string type() { return "number"; }
  static double parse(const Value& v) { return to_number(only_item(v, "a " + type())); }
  static Value print(double v) { return Value::scalar(number_text(v)); }
};
template <>
struct FieldType<std::string> {
  static std::string type() { return "string"; }
  static std::string parse(const Value& v) { return only_item(v, "a " + type()); }
  static Value print(const std::string& v) { return Value::scalar(v); }
};
/// A list; a single string counts as a list with one item.
template <>
struct FieldType<std::vector<std::string>> {
  static std::string type() { return "list of strings"; }
  static std::vector<std::string> parse(const Value& v) { return v.items; }
  static Value print(const std::vector<std::string>& v) { return {Value::Kind::list, v}; }
};
template <>
struct FieldType<std::vector<double>> {
  static std::string type() { return "list of numbers"; }
  static std::vector<double> parse(const Value& v) {
    std::vector<double> numbers;
    for (const auto& item : v.items) numbers.push_back(to_number(item));
    return numbers;
  }
  static Value print(const std::vector<double>& v) {
    Value list{Value::Kind::list, {}};
    for (const double number : v) list.items.push_back(number_text(number));
    return list;
  }
};
template <class T>
struct FieldType<std::optional<T>> {
  static std::string type() { return FieldType<T>::type(); }
  static std::optional<T> parse(const Value& v) {
    if (v.kind == Value::Kind::null) return std::nullopt;
    return FieldType<T>::parse(v);
  }
  static Value print(const std::optional<T>& v) { return v ? FieldType<T>::print(*v) : Value{}; }
};
template <class Enum>
requires std::is_enum_v<Enum>
struct FieldType<Enum> {
  static std::string type() {
    const auto& names = EnumNames<Enum>::names;
    return enumeration({names.begin(), names.end()}, "or");
  }
  static Enum parse(const Value& v) {
    const std::string& name = only_item(v, type());
    if (const auto value = value_named<Enum>(name)) return *value;
    throw_unexpected(type(), name);
  }
  static Value print(Enum v) { return Value::scalar(name_of(v)); }
};

}  // namespace field_types

/// The visitor for `visit_fields(visitor, config)`: appends a Field for each member of `config`.
class FieldCollector {
 public:
  FieldCollector(std::string section, std::vector<Field>& fields) : section_(std::move(section)), fields_(fields) {}

  template <class T>
  void operator()(const std::string& name, T& member, const std::string& help) {
    using Type = field_types::FieldType<T>;
    fields_.push_back({{.name = section_ + "." + name,
                        .help = help,
                        .type = Type::type(),
                        .is_string = field_types::kIsString<T>,
                        .nullable = field_types::kIsNullable<T>},
                       [&member](const Value& value) { member = Type::parse(value); },
                       [&member] { return Type::print(member); }});
  }

 private:
  std::string section_;
  std::vector<Field>& fields_;
};

}  // namespace transformer
