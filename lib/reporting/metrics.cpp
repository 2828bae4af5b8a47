#include "reporting/metrics.h"

#include <filesystem>
#include <limits>

#include "base/append_line.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/read_file.h"

namespace transformer {
namespace {

/// The lines that end in a newline. Text after the last newline is an incomplete line and is left out.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

Metrics to_metrics(const Json& object) {
  Metrics line{.step = integer_of(member_of(object, "step")), .values = {}};
  for (const auto& [key, value] : object_of(object)) {
    if (key == "step") continue;
    line.values.emplace_back(key, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : number_of(value));
  }
  return line;
}

Metrics parse_line(const std::string& path, int64_t line_number, std::string_view text) {
  try {
    return to_metrics(parse_json(text));
  } catch (const Error& misfit) {
    throw Error("{}:{}: this line of metrics is damaged ({}); got {}; delete the line and try again", path, line_number,
                misfit.what(), json_text(Json(text.substr(0, 80))));
  }
}

}  // namespace

std::optional<double> Metrics::value(std::string_view key) const {
  for (const auto& [name, number] : values) {
    if (name == key) return number;
  }
  return std::nullopt;
}

MetricsFile::MetricsFile(std::string path) : path_(std::move(path)) {}

void MetricsFile::drop_after(int64_t step) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  const std::string before = read_file(path_);
  std::string after;
  int64_t line_number = 0;
  for (const std::string_view line : whole_lines(before)) {
    if (parse_line(path_, ++line_number, line).step > step) continue;
    after.append(line);
    after += '\n';
  }
  if (after != before) write_file_atomically(path_, after);
}

void MetricsFile::write(const Metrics& line) {
  Json object = {{"step", line.step}};
  for (const auto& [key, value] : line.values) object[key] = value;
  append_line(path_, json_text(object));
}

std::vector<Metrics> read_metrics(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<Metrics> lines;
  for (const std::string_view line : whole_lines(text)) {
    lines.push_back(parse_line(path, static_cast<int64_t>(lines.size()) + 1, line));
  }
  return lines;
}

}  // namespace transformer
