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
  /// A longer interval between ticks is a suspension, in which `now` advances by this much. Of a wait for a processor,
  /// no more than this is carried over to later ticks.
  static constexpr std::chrono::seconds kLongestInterval{3};

  explicit AwakeClock(Time start) : last_tick_(start), now_(start), work_time_(start) {}

  /// `time` is that of a clock that does not stand still. `starved` is how long the process's work has waited for a
  /// processor, in waits that have ended since the last tick; they may have begun before it. Returns whether the
  /// process was suspended since the last tick.
  bool tick(Time time, Time::duration starved) {
    const auto interval = time - last_tick_;
    last_tick_ = time;
    const auto awake = std::min<Time::duration>(interval, kLongestInterval);
    now_ = now_.load() + awake;
    starved_ = std::min<Time::duration>(starved_ + starved, kLongestInterval);
    const auto waited = std::min<Time::duration>(awake, starved_);
    starved_ -= waited;
    work_time_ = work_time_.load() + (awake - waited);
    if (interval <= kLongestInterval) return false;
    ++num_suspensions_;
    return true;
  }

  /// The time of the last tick.
  Time now() const { return now_; }
  /// The time of the last tick, without the time in which the work waited for a processor, so that a busy machine is
  /// not taken for a rank that hangs.
  Time work_time() const { return work_time_; }
  int num_suspensions() const { return num_suspensions_; }

 private:
  Time last_tick_;
  Time::duration starved_{};  // waits that are still to be subtracted from work_time_
  std::atomic<Time> now_, work_time_;
  std::atomic<int> num_suspensions_ = 0;
};

}  // namespace transformer
