#include "config/key_list.h"

#include <fmt/core.h>

#include <optional>
#include <type_traits>

#include "config/config.h"
#include "config/range.h"
#include "config/sections.h"

namespace transformer {
namespace {

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

/// The visitor for `visit_fields(visitor, config)`: describes each member of a part of the default config.
class KeyDescriber {
 public:
  KeyDescriber(std::string section, std::vector<KeyDescription>& keys) : section_(std::move(section)), keys_(keys) {}

  template <class T>
  void operator()(const std::string& name, T& member, const std::string& help) {
    KeyDescription key;
    key.name = section_ + "." + name;
    if constexpr (kIsOptional<T>) {
      describe_type<typename T::value_type>(key);
      key.nullable = true;
    } else {
      describe_type<T>(key);
    }
    if (const Range* range = range_of(key.name)) key.range = range->text();
    key.default_value = field_types::FieldType<T>::print(member);
    key.meaning = help;
    keys_.push_back(key);
  }

 private:
  template <class T>
  static void describe_type(KeyDescription& key) {
    key.type = field_types::FieldType<T>::type();
    key.is_text = !std::is_arithmetic_v<T> && !std::is_same_v<T, std::vector<double>>;
  }

  std::string section_;
  std::vector<KeyDescription>& keys_;
};

}  // namespace

std::string KeyDescription::accepted() const {
  if (!range.empty()) return fmt::format("{}, {}{}", type, range, nullable ? ", or null" : "");
  return type + (nullable ? " or null" : "");
}

std::vector<KeyDescription> describe_keys() {
  std::vector<KeyDescription> keys;
  Config defaults;
  visit_sections(defaults, [&](const char* section, auto& part) {
    KeyDescriber describer(section, keys);
    visit_fields(describer, part);
  });
  return keys;
}

}  // namespace transformer
