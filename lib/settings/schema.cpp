#include "settings/schema.h"

#include <algorithm>

namespace transformer {
namespace {

/// "data.train" of the key "data.train.source".
std::string section_of(const Key& key) { return key.name.substr(0, key.name.rfind('.')); }

}  // namespace

const Key* Schema::find(const std::string& name) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.name == name; });
  return found == keys_.end() ? nullptr : &*found;
}

bool Schema::has_section(const std::string& name) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const Key& key) { return key.name.starts_with(name + "."); });
}

std::vector<std::string> Schema::keys_set_by(const std::string& key) const {
  std::vector<std::string> names;
  for (const Key& candidate : keys_) {
    if (candidate.traits.is_set_by_section && section_of(candidate) == key) names.push_back(candidate.name);
  }
  return names.empty() ? std::vector{key} : names;
}

bool Schema::is_list(const std::string& section) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const Key& key) { return key.item && section_of(key) == section; });
}

std::map<std::string, ItemKey> Schema::optional_keys_of_items(const std::string& section) const {
  std::map<std::string, ItemKey> optional;
  for (const Key& key : keys_) {
    if (key.item && key.item->is_optional && section_of(key) == section)
      optional.emplace(last_part(key.name), *key.item);
  }
  return optional;
}

}  // namespace transformer
