#include "config/unknown_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/format.h"
#include "base/similar_names.h"
#include "settings/fields.h"
#include "settings/foreign_names.h"

namespace transformer {
namespace {

using Keys = std::vector<std::string>;

/// The number of parts, from the last one on, that are the same in both names.
size_t num_common_parts(std::string one, std::string other) {
  size_t parts = 0;
  while (normalized_name(last_part(one)) == normalized_name(last_part(other))) {
    ++parts;
    if (one.rfind('.') == std::string::npos || other.rfind('.') == std::string::npos) break;
    one.resize(one.rfind('.'));
    other.resize(other.rfind('.'));
  }
  return parts;
}

/// The keys that end in as many of the name's last parts as possible, but at least in one.
Keys keys_with_same_end(const std::string& name, const Keys& keys) {
  size_t most = 1;
  Keys found;
  for (const std::string& key : keys) {
    const size_t parts = num_common_parts(name, key);
    if (parts > most) found.clear();
    most = std::max(most, parts);
    if (parts == most) found.push_back(key);
  }
  return found;
}

/// The key whose last part differs least from the name's, and by at most a third of its letters; of several such keys,
/// the one whose whole name differs least.
std::optional<std::string> nearest_key(const std::string& name, const Keys& keys) {
  const std::string part = normalized_name(last_part(name)), whole = normalized_name(name);
  std::vector<std::tuple<size_t, size_t, std::string>> candidates;
  for (const std::string& key : keys) {
    const std::string key_part = normalized_name(last_part(key));
    if (const auto distance = misspelling_distance(part, key_part)) {
      candidates.emplace_back(*distance, edit_distance(whole, normalized_name(key)), key);
    }
  }
  if (candidates.empty()) return std::nullopt;
  return std::get<std::string>(*std::min_element(candidates.begin(), candidates.end()));
}

UnknownKey suggestion(const std::string& name, const Keys& meant) {
  return {fmt::format("unknown key '{}' (did you mean {}?)", shown_value(name), alternatives(meant)), meant};
}

}  // namespace

MeantKeys keys_called(const std::string& name, const std::vector<std::string>& keys) {
  if (const Keys same_end = keys_with_same_end(name, keys); !same_end.empty()) return {same_end, ""};
  if (const ForeignName* foreign = find_foreign_name(foreign_names(), last_part(name)))
    return {{foreign->key}, foreign->remark};
  return {};
}

UnknownKey explain_unknown_key(const std::string& name, const std::vector<std::string>& keys) {
  Keys below;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(below),
               [&](const std::string& key) { return key.starts_with(name + "."); });
  if (!below.empty()) {
    return {fmt::format("'{}' is a section; give its keys below it, for example '{}'", name, below.front()), below};
  }
  if (const Keys same_end = keys_with_same_end(name, keys); !same_end.empty()) return suggestion(name, same_end);
  if (const ForeignName* foreign = find_foreign_name(foreign_names(), last_part(name))) {
    const std::string& toolkits = foreign->toolkits;
    return {fmt::format("unknown key '{}'; '{}'{} is '{}' here{}{}", shown_value(name), foreign->name,
                        toolkits.empty() ? "" : " of " + toolkits, foreign->key, in_parentheses(foreign->remark),
                        toolkits.empty() ? "" : "; see docs/coming_from.md"),
            {foreign->key}};
  }
  if (const auto nearest = nearest_key(name, keys)) return suggestion(name, {*nearest});
  return {fmt::format("unknown key '{}'; `transformer config --list` shows all keys", shown_value(name)), {}};
}

}  // namespace transformer
