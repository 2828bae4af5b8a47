#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace transformer {

/// A JSON value; objects keep the order of their keys.
using Json = nlohmann::ordered_json;

/// Parses a text that holds one JSON value. Throws Error if it is not JSON, if an object has the same key twice, or if
/// values are nested more than 100 levels deep.
Json parse_json(std::string_view text);

/// The value, or null if there is none.
template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// The value as text: on one line, or with `indent` spaces for each level. Numbers are written with all their digits,
/// and as null if they are not finite. Invalid UTF-8 in strings is replaced by U+FFFD.
std::string json_text(const Json& value, int indent = -1);

// Checked access to values that were read from files. Each function throws Error("expected ...") if the value is of
// another kind.
double number_of(const Json& value);
int64_t integer_of(const Json& value);
const std::string& string_of(const Json& value);
const Json::array_t& array_of(const Json& value);
const Json::object_t& object_of(const Json& value);
/// The object's value for this key. Throws Error if it has none.
const Json& member_of(const Json& object, const std::string& key);

}  // namespace transformer
