#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

namespace transformer {

/// The values are spdlog's.
enum class LogLevel { debug = 1, info, warning, error };

/// Messages below `level` are not shown on stderr. No message is ever written to stdout.
void set_log_level(LogLevel level);
bool log_shows(LogLevel level);

/// Marks this process as a rank other than 0 of a distributed run: its messages begin with the rank (error messages
/// name it themselves), without --verbose only warnings and errors are shown, and it shows no status line.
void set_rank(int rank);

/// Appends every message of level info or above to this file as well, with its date, whatever is shown on stderr (the
/// run's train.log). A second call changes to another file; the first one also gets the messages before the call, at
/// most the last 200. Throws Error if the file cannot be written.
void set_log_file(const std::string& path);

void log(LogLevel level, const std::string& message);
/// Appends a message to the log file only; another process shows it on stderr.
void log_to_file(LogLevel level, const std::string& message);

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
/// A warning also says how the program handles the problem.
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace transformer
