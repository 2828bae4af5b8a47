#include "reporting/metrics.h"

#include <limits>

#include "base/json.h"
#include "reporting/step_lines.h"

namespace transformer {
namespace {

Metrics to_metrics(const Json& object) {
  Metrics line{.step = integer_of(member_of(object, "step")), .values = {}};
  for (const auto& [key, value] : object_of(object)) {
    if (key == "step") continue;
    line.values.emplace_back(key, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : number_of(value));
  }
  return line;
}

}  // namespace

std::optional<double> Metrics::value(std::string_view key) const {
  for (const auto& [name, number] : values) {
    if (name == key) return number;
  }
  return std::nullopt;
}

std::string validation_key(std::string_view metric) { return "valid_" + std::string(metric); }

void append_metrics(const std::string& path, const Metrics& line) {
  Json object = {{"step", line.step}};
  for (const auto& [key, value] : line.values) object[key] = value;
  append_step_line(path, object);
}

void drop_metrics_after(const std::string& path, int64_t step) { drop_step_lines_after(path, step, to_metrics); }

std::vector<Metrics> read_metrics(const std::string& path) {
  std::vector<Metrics> lines;
  read_step_lines(path, [&](const Json& object) { lines.push_back(to_metrics(object)); });
  return lines;
}

}  // namespace transformer
