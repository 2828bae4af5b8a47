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

/// Calls `read` with the object of each line, in order. A last line without a newline is skipped, since it is still
/// being written. Throws Error with file and line if a line is not such an object or if `read` throws Error.
void read_step_lines(const std::string& path, const std::function<void(const Json& object)>& read);

/// Removes the lines of steps after `step`, which a resumed run will write again, and an incomplete last line, which a
/// killed run leaves. The file is replaced atomically. Does nothing if there is no file.
void drop_step_lines_after(const std::string& path, int64_t step);

}  // namespace transformer
