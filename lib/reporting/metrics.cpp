#include "reporting/metrics.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "base/format.h"

namespace transformer {
namespace {

/// The lines that end in a newline; what follows the last newline is torn.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Each `take` removes what it reads from the front of `rest`; false where it is not there.

bool take(std::string_view& rest, std::string_view expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(expected.size());
  return true;
}

template <class Number>
bool take_number(std::string_view& rest, Number& number) {
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (failure != std::errc()) return false;
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return true;
}

bool take_value(std::string_view& rest, double& value) {
  if (take(rest, "null")) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  // from_chars also knows "inf" and "nan", which JSON does not.
  return take_number(rest, value) && std::isfinite(value);
}

bool take_key(std::string_view& rest, std::string& key) {
  const size_t end = rest.find('"');
  if (end == std::string_view::npos) return false;
  key = rest.substr(0, end);
  rest.remove_prefix(end);
  return take(rest, "\": ");
}

std::optional<Metrics> parse_object(std::string_view rest) {
  Metrics line;
  if (!take(rest, "{\"step\": ") || !take_number(rest, line.step)) return std::nullopt;
  while (take(rest, ", \"")) {
    auto& [key, value] = line.values.emplace_back();
    if (!take_key(rest, key) || !take_value(rest, value)) return std::nullopt;
  }
  if (rest != "}") return std::nullopt;
  return line;
}

Metrics parse_line(const std::string& path, int64_t line_number, std::string_view text) {
  const std::optional<Metrics> line = parse_object(text);
  if (!line) {
    throw Error(path, ":", line_number, ": this line of metrics is damaged; got ", json_string(text.substr(0, 80)),
                ", expected {\"step\": 100, \"loss\": 5.123}; delete the line and try again");
  }
  return *line;
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
  std::string object = concat("{\"step\": ", line.step);
  for (const auto& [key, value] : line.values) {
    object += concat(", ", json_string(key), ": ", json_number(value));
  }
  append_line(path_, object + "}");
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
