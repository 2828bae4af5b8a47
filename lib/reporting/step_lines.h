#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/json.h"

namespace transformer {

// Files of a run that grow by one line at a time: each line is a JSON object with the key "step", in order of the
// steps.

/// Appends the object as a line.
void append_step_line(const std::string& path, const Json& object);

/// Calls `read` with the object of each line, in order. Skips damaged lines with a warning: those that are not such an
/// object or for which `read` throws Error. Skips a last line without a newline, since it is still being written.
/// Throws Error if the file cannot be read.
void read_step_lines(const std::string& path, const std::function<void(const Json& object)>& read);

/// Removes the lines of steps after `step`, which a resumed run will write again, and an incomplete last line, which a
/// killed run leaves. The file is replaced atomically. If it has damaged lines (`read` is that of read_step_lines), it
/// is saved as `path`.damaged before they are removed, with a warning. Does nothing if there is no file.
void drop_step_lines_after(const std::string& path, int64_t step, const std::function<void(const Json& object)>& read);

}  // namespace transformer
