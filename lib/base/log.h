#pragma once

#include <string>

#include "base/format.h"

namespace transformer {

enum class LogLevel { debug, info, warning, error };

/// What is less than `level` is not shown on stderr. Messages never go to stdout.
void set_log_level(LogLevel level);
bool log_shows(LogLevel level);

/// This process is one of several that work together, and not the first: its messages begin with its number (errors
/// name it themselves), and without --verbose only warnings and errors are shown.
void set_rank(int rank);

/// From now on every message from info up is also appended to the file, with its time (the run's train.log).
void add_log_file(const std::string& path);

void log(LogLevel level, const std::string& message);

template <class... Parts>
void log_debug(const Parts&... parts) {
  log(LogLevel::debug, concat(parts...));
}
template <class... Parts>
void log_info(const Parts&... parts) {
  log(LogLevel::info, concat(parts...));
}
/// A warning says what was done about it.
template <class... Parts>
void log_warning(const Parts&... parts) {
  log(LogLevel::warning, concat(parts...));
}

}  // namespace transformer
