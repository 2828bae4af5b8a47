#include "reporting/metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "reporting/step_lines.h"

namespace transformer {
namespace {

MetricsLine to_metrics_line(const Json& object) {
  MetricsLine line{.step = integer_of(member_of(object, "step")), .values = {}};
  for (const auto& [key, value] : object_of(object)) {
    if (key == "step") continue;
    line.values.emplace_back(key, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : number_of(value));
  }
  return line;
}

}  // namespace

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

void append_metrics(const std::string& path, const MetricsLine& line) {
  Json object = {{"step", line.step}};
  for (const auto& [key, value] : line.values) object[key] = value;
  append_step_line(path, object);
}

void drop_metrics_after(const std::string& path, int64_t step) { drop_step_lines_after(path, step, to_metrics_line); }

std::vector<MetricsLine> read_metrics(const std::string& path) {
  std::vector<MetricsLine> lines;
  read_step_lines(path, [&](const Json& object) { lines.push_back(to_metrics_line(object)); });
  return lines;
}

}  // namespace transformer
