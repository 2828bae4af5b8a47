#pragma once

#include <chrono>

namespace transformer {

using Clock = std::chrono::steady_clock;

/// When this process started, or shortly after.
inline const Clock::time_point kProcessStart = Clock::now();

inline double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

inline double seconds_since(Clock::time_point start) { return seconds_between(start, Clock::now()); }

}  // namespace transformer
