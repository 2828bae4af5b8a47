#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "settings/key_traits.h"

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

/// What holds for a key whose values are a member of each struct of a list, such as data.train.weight (Column).
struct ItemKey {
  bool is_optional = false;  // whether the structs need not have it
  /// Its value in an item that omits it while others have it; none: either all items have it or none.
  std::optional<std::string> omitted;
};

/// A key of a config.
struct Key {
  std::string name;  // with its sections: "data.train.source"
  std::string help;
  std::string type;        // of values other than null: "whole number", "sinusoidal or learned"
  bool is_string = false;  // whether its values are strings, or names of an enumeration
  bool nullable = false;   // whether null is a value
  KeyTraits traits = {};
  std::optional<ItemKey> item = {};  // for a key of a list of structs
};

/// What a key accepts: "whole number, at least 1, or null".
std::string accepted_values(const Key& key);

/// "source" of the key "data.train.source".
std::string last_part(const std::string& key);

/// A key and its value in a config.
struct KeyValue : Key {
  Value value;
};

/// A key and the member of a config struct that holds its value.
struct Field : Key {
  /// Throws Error, which names the key, if the value has another type or is out of the key's range.
  std::function<void(const Value&)> set;
  std::function<Value()> get;
};

/// The value in the type of the key: a number, true or false, a string, null, or a list of numbers or strings.
Json typed_value(const KeyValue& key);

/// The keys and their values.
std::vector<KeyValue> values_of(const std::vector<Field>& fields);

/// A key whose value differs between two configs.
struct KeyDifference {
  std::string key;
  Value there, here;

  /// "model.N: 6 there, 4 here".
  std::string text() const;
};

/// The keys for which `is_compared` is true and whose values differ, in the order of the keys, which are the same on
/// both sides.
std::vector<KeyDifference> differences_of(const std::vector<KeyValue>& there, const std::vector<KeyValue>& here,
                                          const std::function<bool(const std::string& key)>& is_compared);

/// The texts of the differences, separated by "; ".
std::string text_of(const std::vector<KeyDifference>& differences);

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

/// Parses the value of a key. Throws Error, which names the key, if it has another type.
template <class T>
T parse_for(const std::string& key, const Value& value) {
  try {
    return FieldType<T>::parse(value);
  } catch (const Error& misfit) {
    throw Error("{}: {}", key, misfit.what());
  }
}

/// A text for the first number of the value that is out of the range, if there is one.
template <class T>
std::optional<std::string> number_outside(const T& value, const Range& range) {
  if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) {
    if (!range.contains(static_cast<double>(value))) return FieldType<T>::print(value).items[0];
  }
  return std::nullopt;
}
template <class T>
std::optional<std::string> number_outside(const std::optional<T>& value, const Range& range) {
  return value ? number_outside(*value, range) : std::nullopt;
}
template <class T>
std::optional<std::string> number_outside(const std::vector<T>& values, const Range& range) {
  for (const T& value : values) {
    if (auto outside = number_outside(value, range)) return outside;
  }
  return std::nullopt;
}

/// The type of a column's values: T, or U if T is std::optional<U>.
template <class T>
struct ColumnValue {
  using Type = T;
  static constexpr bool is_optional = false;
};
template <class U>
struct ColumnValue<std::optional<U>> {
  using Type = U;
  static constexpr bool is_optional = true;
};

}  // namespace field_types

/// The visitor for `visit_fields(visitor, config)`: appends a Field for each member of `config`. Name, member, traits
/// and help of a key stand in one call.
class FieldCollector {
 public:
  FieldCollector(std::string section, std::vector<Field>& fields) : section_(std::move(section)), fields_(fields) {}

  template <class T>
  void operator()(const std::string& name, T& member, const KeyTraits& traits, const std::string& help) {
    add<T>(
        name, traits, help, [&member](T value) { member = std::move(value); }, [&member] { return member; });
  }
  template <class T>
  void operator()(const std::string& name, T& member, const std::string& help) {
    operator()(name, member, KeyTraits(), help);
  }

  /// A key of a list of structs. Setting it makes the list as long as its values, if it is shorter; the caller checks
  /// that all keys have as many values.
  template <class Item, class T>
  void operator()(const std::string& name, Column<Item, T> column, const KeyTraits& traits, const std::string& help) {
    using Type = field_types::ColumnValue<T>;
    using Values = std::vector<typename Type::Type>;
    const auto set = [column](const Values& values) {
      column.items.resize(std::max(column.items.size(), values.size()));
      for (size_t i = 0; i < column.items.size(); ++i) {
        column.items[i].*column.member = i < values.size() ? T(values[i]) : T();
      }
    };
    const auto get = [column] {
      Values values;
      if constexpr (Type::is_optional) {
        const auto has_value = [&](const Item& item) { return (item.*column.member).has_value(); };
        if (std::none_of(column.items.begin(), column.items.end(), has_value)) return values;
        for (const Item& item : column.items) {
          values.push_back((item.*column.member).value_or(column.omitted.value_or(typename Type::Type())));
        }
      } else {
        for (const Item& item : column.items) values.push_back(item.*column.member);
      }
      return values;
    };
    add<Values>(name, traits, help, set, get);
    ItemKey& item = fields_.back().item.emplace();
    item.is_optional = Type::is_optional;
    if constexpr (Type::is_optional) {
      if (column.omitted) item.omitted = field_types::FieldType<typename Type::Type>::print(*column.omitted).items[0];
    }
  }

 private:
  /// `assign` takes a value of type T, and `read` returns one.
  template <class T, class Assign, class Read>
  void add(const std::string& name, const KeyTraits& traits, const std::string& help, const Assign& assign,
           const Read& read) {
    using Type = field_types::FieldType<T>;
    const std::string key = section_ + "." + name;
    const auto set = [key, range = traits.range, assign](const Value& text) {
      T value = field_types::parse_for<T>(key, text);
      if (const auto outside = range ? field_types::number_outside(value, *range) : std::nullopt) {
        throw Error("{} must be {}, got {}", key, range->text(), *outside);
      }
      assign(std::move(value));
    };
    fields_.push_back({{.name = key,
                        .help = help,
                        .type = Type::type(),
                        .is_string = field_types::kIsString<T>,
                        .nullable = field_types::kIsNullable<T>,
                        .traits = traits},
                       set,
                       [read] { return Type::print(read()); }});
  }

  std::string section_;
  std::vector<Field>& fields_;
};

/// The keys of a section, such as "model", and the members of its struct, which must outlive the fields.
template <class Section>
std::vector<Field> fields_of(const std::string& name, Section& section) {
  std::vector<Field> fields;
  FieldCollector collector(name, fields);
  visit_fields(collector, section);
  return fields;
}

}  // namespace transformer
