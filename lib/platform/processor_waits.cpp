#include "platform/processor_waits.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace transformer {

std::chrono::nanoseconds ProcessorWaits::longest_since_last_call() {
  std::unordered_map<std::string, std::chrono::nanoseconds> waits;
  std::chrono::nanoseconds longest{};
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; thread != end;
       thread.increment(error)) {
    int64_t running = 0, waiting = 0;
    if (!(std::ifstream(thread->path() / "schedstat") >> running >> waiting)) continue;
    const std::chrono::nanoseconds all(waiting);
    const auto id = thread->path().filename().string();
    waits[id] = all;
    const auto seen = seen_.find(id);
    longest = std::max(longest, seen == seen_.end() ? all : all - seen->second);
  }
  seen_ = std::move(waits);
  return longest;
}

}  // namespace transformer
