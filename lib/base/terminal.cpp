#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "base/utf8.h"

namespace transformer {
namespace {

bool stderr_moves_cursor() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

struct Terminal {
  std::mutex mutex;  // protects the others
  const bool moves_cursor = stderr_moves_cursor();
  bool shows_status = moves_cursor;
  bool erases_always = false;  // because another process may have written a status
  std::string status;
};

Terminal& terminal() {
  static Terminal instance;
  return instance;
}

std::atomic<int> num_writers = 0;

/// Counts a writer during its lifetime.
struct Writer {
  Writer() { ++num_writers; }
  ~Writer() { --num_writers; }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

size_t terminal_width() {
  static constexpr size_t kUsualWidth = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

/// Writes everything in one call where possible, so that the output of a signal handler or of another process does not
/// appear within a line. An error is ignored: a log that cannot be written must not stop the program.
void write_fully(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

/// The status as it is drawn. The last column stays free, since some terminals wrap a line that fills it.
std::string drawn(const std::string& status) {
  return status.empty() ? "" : cut_to_width(status, terminal_width() - 1);
}

}  // namespace

void write_to_stderr(std::string_view text) {
  const Writer writer;
  Terminal& t = terminal();
  const std::lock_guard lock(t.mutex);
  std::string output;
  if (!t.status.empty() || t.erases_always) output += kEraseLine;
  output += text;
  write_fully(output + drawn(t.status));
}

bool is_writing_to_stderr() { return num_writers > 0; }

void show_status(const std::string& text) {
  const Writer writer;
  Terminal& t = terminal();
  const std::lock_guard lock(t.mutex);
  if (!t.shows_status || (text.empty() && t.status.empty())) return;
  t.status = text;
  write_fully(std::string(kEraseLine) + drawn(text));
}

bool can_show_status() {
  Terminal& t = terminal();
  const std::lock_guard lock(t.mutex);
  return t.shows_status;
}

void close_status() {
  show_status("");
  Terminal& t = terminal();
  const std::lock_guard lock(t.mutex);
  t.status.clear();
  t.shows_status = false;
}

void leave_status_to_another_process() {
  close_status();
  Terminal& t = terminal();
  const std::lock_guard lock(t.mutex);
  t.erases_always = t.moves_cursor;
}

}  // namespace transformer
