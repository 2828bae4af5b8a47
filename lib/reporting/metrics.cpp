#include "reporting/metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/json.h"

namespace transformer {
void to_json(Json& object, const MetricsLine& line) {
  object = {{"step", line.step}};
  for (const auto& [key, value] : line.values) object[key] = value;
}

void from_json(const Json& object, MetricsLine& line) {
  line.step = integer_of(member_of(object, "step"));
  for (const auto& [key, value] : object_of(object)) {
    if (key == "step") continue;
    line.values.emplace_back(key, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : number_of(value));
  }
}

std::optional<double> MetricsLine::value(std::string_view key) const {
  for (const auto& [name, number] : values) {
    if (name == key) return number;
  }
  return std::nullopt;
}

std::string validation_key(std::string_view metric, std::string_view set) {
  return fmt::format("valid_{}{}{}", metric, set.empty() ? "" : "_", set);
}

std::vector<std::string> further_validation_sets(const std::vector<MetricsLine>& metrics) {
  const std::string prefix = validation_key("loss") + "_";
  std::vector<std::string> names;
  for (const MetricsLine& line : metrics) {
    for (const auto& [key, value] : line.values) {
      if (!key.starts_with(prefix)) continue;
      const std::string name = key.substr(prefix.size());
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace transformer
