#include "base/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>

#include "base/terminal.h"

namespace transformer {
namespace {

// The thread that receives a signal need not be the one that asks for it, hence atomics and not std::sig_atomic_t.
std::atomic<bool> stop_signal = false, save_signal = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // signal handlers write them
bool acknowledges = false, erases_status = false;       // set before the handlers are installed
std::atomic<const char*> stop_message = "stopping soon";
static_assert(std::atomic<const char*>::is_always_lock_free);  // a signal handler reads it

// The functions from here to `on_save` run in signal handlers and call only async-signal-safe functions.

/// Writes the parts to stderr in one call, so that the output of other threads does not appear between them.
void write_parts(std::initializer_list<std::string_view> parts) {
  std::array<char, 200> text{};
  size_t length = 0;
  for (const auto part : parts) length += part.copy(text.data() + length, text.size() - length);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), length);
  errno = error;
}

std::string_view erase_status() { return erases_status ? kEraseLine : ""; }

/// A SIGTERM so soon after the first is the same request: where systemd or Slurm sends it to a launcher and to its
/// ranks, the launcher forwards it, and each rank gets it twice.
constexpr std::time_t kForwardingSeconds = 2;
std::atomic<std::time_t> first_stop = 0;  // seconds of the monotonic clock
static_assert(std::atomic<std::time_t>::is_always_lock_free);

std::time_t monotonic_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void on_second_stop(int signal) {
  if (signal == SIGTERM && monotonic_seconds() - first_stop < kForwardingSeconds) return;
  write_parts({erase_status()});
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_stop(int signal) {
  if (signal == SIGTERM) first_stop = monotonic_seconds();
  std::signal(signal, on_second_stop);
  if (acknowledges && (signal == SIGINT || !stop_signal)) {
    write_parts({erase_status(), stop_message.load(), signal == SIGINT ? "; press Ctrl-C again to stop now\n" : "\n"});
  }
  stop_signal = true;
}

/// Without a terminal there is nobody to tell, and both the kernel and a shell may send the signal.
void on_hangup(int /*signal*/) { stop_signal = true; }

void on_save(int /*signal*/) { save_signal = true; }

}  // namespace

void make_write_signals_errors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void catch_stop_signals(bool acknowledge) {
  acknowledges = acknowledge;
  erases_status = acknowledge && can_show_status();
  std::signal(SIGTERM, on_stop);
  if (!is_ignored(SIGINT)) std::signal(SIGINT, on_stop);
  if (!is_ignored(SIGHUP)) std::signal(SIGHUP, on_hangup);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void set_stop_message(const char* message) { stop_message = message; }

void catch_save_signal() { std::signal(SIGUSR1, on_save); }

bool save_requested() { return save_signal; }

void clear_save_request() { save_signal = false; }

bool stop_requested() { return stop_signal; }

}  // namespace transformer
