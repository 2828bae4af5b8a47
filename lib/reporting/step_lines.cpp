#include "reporting/step_lines.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/append_line.h"
#include "base/atomic_file.h"
#include "base/error.h"
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

/// Calls `read` with each whole line of `text` and its object.
void read_lines_of(const std::string& path, std::string_view text,
                   const std::function<void(std::string_view line, const Json& object)>& read) {
  int64_t line_number = 0;
  for (const std::string_view line : whole_lines(text)) {
    ++line_number;
    try {
      const Json object = parse_json(line);
      integer_of(member_of(object, "step"));
      read(line, object);
    } catch (const Error& misfit) {
      throw Error("{}:{}: this line is damaged ({}); got {}; delete the line and try again", path, line_number,
                  misfit.what(), json_text(Json(line.substr(0, 80))));
    }
  }
}

}  // namespace

void append_step_line(const std::string& path, const Json& object) { append_line(path, json_text(object)); }

void read_step_lines(const std::string& path, const std::function<void(const Json& object)>& read) {
  read_lines_of(path, read_file(path), [&](std::string_view /*line*/, const Json& object) { read(object); });
}

void drop_step_lines_after(const std::string& path, int64_t step) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const std::string before = read_file(path);
  std::string after;
  read_lines_of(path, before, [&](std::string_view line, const Json& object) {
    if (integer_of(object.at("step")) > step) return;
    after.append(line);
    after += '\n';
  });
  if (after != before) write_file_atomically(path, after);
}

}  // namespace transformer
