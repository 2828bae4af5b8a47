#include "import/json_settings.h"

#include <utility>

#include "base/error.h"

namespace transformer {

JsonSettings::JsonSettings(std::string_view text, std::string path) : path_(std::move(path)) {
  try {
    object_ = parse_json(text);
    object_of(object_);
  } catch (const Error& misfit) {
    throw Error("{}: {}; copy or download it again", path_, misfit.what());
  }
}

const Json* JsonSettings::find(const std::string& key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

template <class Read>
auto JsonSettings::read(const std::string& key, const Read& read) const {
  using Value = std::decay_t<decltype(read(std::declval<const Json&>()))>;
  const Json* value = find(key);
  if (value == nullptr) return std::optional<Value>();
  try {
    return std::optional<Value>(read(*value));
  } catch (const Error& misfit) {
    throw Error("{}: '{}': {}; copy or download it again", path_, key, misfit.what());
  }
}

std::optional<std::string> JsonSettings::text(const std::string& key) const {
  return read(key, [](const Json& value) { return string_of(value); });
}
std::optional<int64_t> JsonSettings::integer(const std::string& key) const { return read(key, integer_of); }
std::optional<double> JsonSettings::number(const std::string& key) const { return read(key, number_of); }
std::optional<bool> JsonSettings::flag(const std::string& key) const {
  return read(key, [](const Json& value) {
    if (!value.is_boolean()) throw Error("expected true or false");
    return value.get<bool>();
  });
}

int64_t JsonSettings::required_integer(const std::string& key) const {
  const auto value = integer(key);
  if (!value) throw Error("{}: has no '{}'; copy or download it again", path_, key);
  return *value;
}

}  // namespace transformer
