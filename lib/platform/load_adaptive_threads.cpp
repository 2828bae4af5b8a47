#include "platform/load_adaptive_threads.h"

#include <ATen/Parallel.h>

#include <fstream>
#include <optional>

#include "base/clock.h"
#include "platform/own_threads.h"

namespace transformer {
namespace {

/// How long this thread was ready to run while others had the processors, in seconds.
std::optional<double> seconds_without_processor() {
  std::ifstream file("/proc/thread-self/schedstat");  // nanoseconds of running, and of waiting for a processor
  double running = 0, waiting = 0;
  if (file >> running >> waiting) return 1e-9 * waiting;
  return std::nullopt;
}

/// What a thread knows about the load, from one search to the next.
struct Load {
  Clock::time_point measured = Clock::now();
  double waited = seconds_without_processor().value_or(0);
  Clock::time_point last_wait = measured - std::chrono::hours(1);
};

constexpr double kInterval = 0.1;      // seconds between two measurements
constexpr double kLoadedShare = 0.15;  // of an interval, without a processor
constexpr double kCalm = 0.5;          // seconds without load after which all threads are tried again

thread_local Load load;

}  // namespace

LoadAdaptiveThreads::LoadAdaptiveThreads() : threads_(at::get_num_threads()) {}

LoadAdaptiveThreads::~LoadAdaptiveThreads() {
  if (at::get_num_threads() != threads_) set_own_threads(threads_);
}

void LoadAdaptiveThreads::adapt(int shares) {
  const int all_threads = shares * threads_;
  int threads = all_threads;
  if (all_threads > 1) {
    const auto now = Clock::now();
    const double seconds = seconds_between(load.measured, now);
    if (seconds >= kInterval) {
      const double waited = seconds_without_processor().value_or(load.waited);
      if (waited - load.waited > kLoadedShare * seconds) load.last_wait = now;
      load.measured = now;
      load.waited = waited;
    }
    if (seconds_between(load.last_wait, now) < kCalm) threads = 1;
  }
  if (at::get_num_threads() != threads) set_own_threads(threads);
}

}  // namespace transformer
