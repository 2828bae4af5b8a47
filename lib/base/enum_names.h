#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace transformer {

/// The names of an enum's values, in order, as the array `names`. Each enum whose values have names specializes it next
/// to its definition.
template <class Enum>
struct EnumNames;

template <class Enum>
const char* name_of(Enum value) {
  return EnumNames<Enum>::names[static_cast<size_t>(value)];
}

/// The value with this name, if there is one.
template <class Enum>
std::optional<Enum> value_named(std::string_view name) {
  for (size_t i = 0; i < EnumNames<Enum>::names.size(); ++i) {
    if (name == EnumNames<Enum>::names[i]) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace transformer
