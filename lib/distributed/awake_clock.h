#pragma once

#include <algorithm>
#include <atomic>

#include "base/clock.h"

namespace transformer {

/// Time that stands still while this process is suspended (SIGSTOP, Ctrl-Z, `scontrol suspend`), so that a suspension
/// is not taken for a rank that is frozen or hangs. A thread that does hardly anything else calls `tick` regularly; a
/// longer interval between two calls than kLongestInterval is a suspension.
class AwakeClock {
 public:
  using Time = Clock::time_point;
  /// A longer interval between ticks is a suspension, in which `now` advances by this much.
  static constexpr std::chrono::seconds kLongestInterval{3};

  explicit AwakeClock(Time start) : last_tick_(start), now_(start) {}

  /// `time` is that of a clock that does not stand still. Returns whether the process was suspended since the last
  /// tick.
  bool tick(Time time) {
    const auto interval = time - last_tick_;
    last_tick_ = time;
    now_ = now_.load() + std::min<Time::duration>(interval, kLongestInterval);
    if (interval <= kLongestInterval) return false;
    ++num_suspensions_;
    return true;
  }

  /// The time of the last tick.
  Time now() const { return now_; }
  int num_suspensions() const { return num_suspensions_; }

 private:
  Time last_tick_;
  std::atomic<Time> now_;
  std::atomic<int> num_suspensions_ = 0;
};

}  // namespace transformer
