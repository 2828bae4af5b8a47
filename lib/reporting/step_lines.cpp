#include "reporting/step_lines.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/append_bytes.h"
#include "base/atomic_file.h"
#include "base/damaged_copy.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
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

/// The damaged lines of a file.
struct Damage {
  int64_t num_lines = 0;
  std::string first;  // describes the first one
};

std::string description(const Damage& damage) {
  return damage.num_lines == 1
             ? damage.first
             : fmt::format("{}, and {}", damage.first, counted(damage.num_lines - 1, "more damaged line"));
}

/// Calls `read` with each whole line of `text` and its object. A line is damaged if it has no such object or if `read`
/// throws Error.
Damage read_lines_of(const std::string& path, std::string_view text,
                     const std::function<void(std::string_view line, const Json& object)>& read) {
  Damage damage;
  int64_t line_number = 0;
  for (const std::string_view line : whole_lines(text)) {
    ++line_number;
    try {
      const Json object = parse_json(line);
      integer_of(member_of(object, "step"));
      read(line, object);
    } catch (const Error& misfit) {
      if (++damage.num_lines > 1) continue;
      damage.first = fmt::format("{}:{}: this line is damaged ({}); got {}", path, line_number, misfit.what(),
                                 json_text(Json(shown_value(std::string(line)))));
    }
  }
  return damage;
}

}  // namespace

void append_step_line(const std::string& path, const Json& line) { append_bytes(path, json_text(line) + "\n"); }

void read_step_objects(const std::string& path, const std::function<void(const Json& object)>& read) {
  const Damage damage =
      read_lines_of(path, read_file(path), [&](std::string_view /*line*/, const Json& object) { read(object); });
  if (damage.num_lines > 0) log_warning("{}; skipped", description(damage));
}

void drop_step_objects_after(const std::string& path, int64_t step,
                             const std::function<void(const Json& object)>& read) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const std::string before = read_file(path);
  std::string after;
  const Damage damage = read_lines_of(path, before, [&](std::string_view line, const Json& object) {
    read(object);
    if (integer_of(object.at("step")) > step) return;
    after.append(line);
    after += '\n';
  });
  if (damage.num_lines > 0) {
    const std::string copy = damaged_copy(path);
    write_file_atomically(copy, before);
    log_warning("{}; removed, and the whole file is saved as {}", description(damage), copy);
  }
  if (after != before) write_file_atomically(path, after);
}

}  // namespace transformer
