#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace transformer {

/// `text` as a JSON string with its quotes; invalid UTF-8 is passed through as it is.
std::string json_string(std::string_view text);

/// The number as JSON writes it, with all its digits; null for what is not finite.
std::string json_number(double value);

/// A JSON value as it was read.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

  /// Reads one value, strictly. Throws Error, which tells the byte, where the text is not JSON or an object has a key
  /// twice.
  static Json parse(std::string_view text);

  // What the value holds. Throw Error("expected ...") where it holds something else.
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  double number() const;
  int64_t integer() const;
  const std::string& string() const;
  const Array& array() const;
  const Object& object() const;

  /// The object's value of this key; nullptr where it has none.
  const Json* find(std::string_view key) const;
  /// Throws Error where there is none.
  const Json& at(std::string_view key) const;

 private:
  friend class JsonReader;
  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_;
};

}  // namespace transformer
