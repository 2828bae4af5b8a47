#include "base/log.h"

#include <fmt/core.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/terminal.h"

namespace transformer {
namespace {

static_assert(static_cast<int>(LogLevel::error) == spdlog::level::err);

spdlog::level::level_enum spdlog_level(LogLevel level) { return static_cast<spdlog::level::level_enum>(level); }

/// Writes messages to stderr, above the status line of a terminal.
class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (message.level == spdlog::level::err) close_status();  // the program ends with this message
    write_to_stderr({line.data(), line.size()});
  }
  void flush_() override {}
};

/// The log file. Until there is one, the latest messages are kept for it.
struct LogFile {
  static constexpr size_t kMaxKept = 200;

  LogFile() {
    kept->set_level(spdlog::level::info);
    sink->add_sink(kept);
  }

  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> kept =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(kMaxKept);  // null as soon as there is a file
  std::shared_ptr<spdlog::sinks::dist_sink_mt> sink = std::make_shared<spdlog::sinks::dist_sink_mt>();
};

LogFile& log_file() {
  static LogFile instance;
  return instance;
}

spdlog::logger make_logger(spdlog::sinks_init_list sinks) {
  spdlog::logger made("transformer", sinks);
  made.set_level(spdlog::level::debug);  // each sink filters by its own level
  made.flush_on(spdlog::level::debug);
  // A log that cannot be written (a full disk) must not stop the program.
  made.set_error_handler([](const std::string&) {});
  return made;
}

/// The program's logger: plain lines on stderr, lines with dates in the log file.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    auto to_stderr = std::make_shared<StderrSink>();
    to_stderr->set_pattern("%v");
    to_stderr->set_level(spdlog::level::info);
    return make_logger({to_stderr, log_file().sink});
  }();
  return instance;
}

std::string prefix_of(LogLevel level) {
  return level == LogLevel::error ? "error: " : level == LogLevel::warning ? "warning: " : "";
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
  leave_status_to_another_process();
  if (!log_shows(LogLevel::debug)) set_log_level(LogLevel::warning);
}

bool log_shows(LogLevel level) { return stderr_sink().should_log(spdlog_level(level)); }

void set_log_file(const std::string& path) {
  try {
    auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    to_file->set_pattern("%Y-%m-%d %H:%M:%S %v");
    to_file->set_level(spdlog::level::info);
    log_file().sink->set_sinks({to_file});  // first, so that no message of another thread is lost
    if (auto& kept = log_file().kept) {
      for (const auto& message : kept->last_raw()) to_file->log(message);
      to_file->flush();
      kept.reset();
    }
  } catch (const spdlog::spdlog_ex&) {
    throw Error("{}: the log cannot be written; check the directory's permissions and the free space", path);
  }
}

void log(LogLevel level, const std::string& message) {
  const bool is_error = level == LogLevel::error;
  logger().log(spdlog_level(level), prefix_of(level) + (is_error ? "" : rank_prefix()) + message);
}

void log_to_file(LogLevel level, const std::string& message) {
  make_logger({log_file().sink}).log(spdlog_level(level), prefix_of(level) + message);
}

}  // namespace transformer
