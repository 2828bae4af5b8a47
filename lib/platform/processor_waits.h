#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

namespace transformer {

/// Measures how long threads of this process wait for a processor that other threads occupy, as Linux counts it in
/// /proc/self/task/*/schedstat.
class ProcessorWaits {
 public:
  /// Begins to measure.
  ProcessorWaits() { longest_since_last_call(); }
  /// The longest time that one thread has waited since the last call, the first time since construction; 0 where Linux
  /// does not count it.
  std::chrono::nanoseconds longest_since_last_call();

 private:
  std::unordered_map<std::string, std::chrono::nanoseconds> seen_;  // for each thread, all its waits so far
};

}  // namespace transformer
