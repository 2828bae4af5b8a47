#include "base/signals.h"

#include <csignal>

namespace transformer {
namespace {

volatile std::sig_atomic_t stop_signal = 0;

void on_stop(int signal) {
  stop_signal = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void make_write_signals_errors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void catch_stop_signals() {
  std::signal(SIGTERM, on_stop);
  std::signal(SIGINT, on_stop);
}

bool stop_requested() { return stop_signal != 0; }

}  // namespace transformer
