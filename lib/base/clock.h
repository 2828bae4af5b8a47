#pragma once

#include <chrono>

namespace transformer {

using Clock = std::chrono::steady_clock;

/// When this process started, or shortly after.
inline const Clock::time_point kProcessStart = Clock::now();

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace transformer
