#include "base/log.h"

#include <fmt/core.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/error.h"

namespace transformer {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// The program's only logger: plain lines on stderr, lines with dates in the log files.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    auto to_stderr = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    spdlog::logger made("transformer", to_stderr);
    made.set_pattern("%v");
    to_stderr->set_level(spdlog::level::info);
    made.set_level(spdlog::level::debug);  // each sink filters by its own level
    made.flush_on(spdlog::level::debug);
    // A log that cannot be written (a full disk) must not stop the program.
    made.set_error_handler([](const std::string&) {});
    return made;
  }();
  return instance;
}

std::string& rank_prefix() {
  static std::string prefix;
  return prefix;
}

spdlog::sinks::sink& stderr_sink() { return *logger().sinks().front(); }

}  // namespace

void set_log_level(LogLevel level) { stderr_sink().set_level(spdlog_level(level)); }

void set_rank(int rank) {
  rank_prefix() = fmt::format("rank {}: ", rank);
  if (!log_shows(LogLevel::debug)) set_log_level(LogLevel::warning);
}

bool log_shows(LogLevel level) { return stderr_sink().should_log(spdlog_level(level)); }

void add_log_file(const std::string& path) {
  try {
    auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    to_file->set_pattern("%Y-%m-%d %H:%M:%S %v");
    to_file->set_level(spdlog::level::info);
    logger().sinks().push_back(to_file);
  } catch (const spdlog::spdlog_ex&) {
    throw Error("{}: the log cannot be written; check the directory's permissions and the free space", path);
  }
}

void log(LogLevel level, const std::string& message) {
  const bool is_error = level == LogLevel::error;
  const std::string prefix = is_error ? "error: " : level == LogLevel::warning ? "warning: " : "";
  logger().log(spdlog_level(level), prefix + (is_error ? "" : rank_prefix()) + message);
}

}  // namespace transformer
