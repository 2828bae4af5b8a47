#include "config/sections.h"

#include <algorithm>

#include "config/config.h"

namespace transformer {

bool is_section(const std::string& name) {
  const auto keys = config_values(Config());
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name.starts_with(name + "."); });
}

std::vector<std::string> keys_set_by(const std::string& key) {
  if (key == "data.vocabulary") return {"data.vocabulary.source", "data.vocabulary.target"};
  return {key};
}

const OptionalKeys* optional_keys_of_items(const std::string& section) {
  static const std::map<std::string, OptionalKeys> kOptionalKeys = {{"data.train", {{"weight", "1"}, {"tag", ""}}},
                                                                    {"data.valid", {{"name", std::nullopt}}}};
  const auto found = kOptionalKeys.find(section);
  return found == kOptionalKeys.end() ? nullptr : &found->second;
}

}  // namespace transformer
