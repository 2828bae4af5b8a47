#pragma once

#include <string>

#include "base/format.h"

namespace transformer {

enum class LogLevel { debug, info, warning, error };

/// Messages below `level` are not shown on stderr. No message is ever written to stdout.
void set_log_level(LogLevel level);
bool log_shows(LogLevel level);

/// Marks this process as a rank other than 0 of a distributed run: its messages begin with the rank (error messages
/// name it themselves), and without --verbose only warnings and errors are shown.
void set_rank(int rank);

/// Appends every later message of level info or above to this file as well, with its date (the run's train.log).
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
/// A warning also says how the program handles the problem.
template <class... Parts>
void log_warning(const Parts&... parts) {
  log(LogLevel::warning, concat(parts...));
}

}  // namespace transformer
