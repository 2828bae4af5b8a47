#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace transformer {

// Files of a run that grow by one line at a time: each line is a JSON object with the key "step", in order of the
// steps. `Line` is a struct that to_json and from_json convert, MetricsLine or ValidationSamples.

/// Calls `read` with the object of each line, in order; see read_step_lines.
void read_step_objects(const std::string& path, const std::function<void(const Json& object)>& read);
/// See drop_step_lines_after; a line for which `read` throws Error is damaged.
void drop_step_objects_after(const std::string& path, int64_t step,
                             const std::function<void(const Json& object)>& read);

/// Appends a line. Numbers that are not finite are written as null. A resumed run calls `drop_step_lines_after` before.
void append_step_line(const std::string& path, const Json& line);

/// All lines, in order. Skips damaged lines, which are no such object, with a warning, and a last one without a
/// newline, since it is still being written. Throws Error if the file cannot be read.
template <class Line>
std::vector<Line> read_step_lines(const std::string& path) {
  std::vector<Line> lines;
  read_step_objects(path, [&](const Json& object) { lines.push_back(object.get<Line>()); });
  return lines;
}

/// Removes the lines of steps after `step`, which a resumed run will write again, and an incomplete last line, which a
/// killed run leaves. The file is replaced atomically. If it has damaged lines (see read_step_lines), it is saved as
/// `path`.damaged before they are removed, with a warning. Does nothing if there is no file.
template <class Line>
void drop_step_lines_after(const std::string& path, int64_t step) {
  drop_step_objects_after(path, step, [](const Json& object) { object.get<Line>(); });
}

}  // namespace transformer
