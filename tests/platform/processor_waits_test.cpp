#include "platform/processor_waits.h"

#include <sched.h>

#include <fstream>
#include <thread>

#include "base/clock.h"
#include "catch.h"

namespace transformer {
namespace {

/// Computes on one processor for a second.
void occupy(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof(set), &set);  // of this thread
  for (const auto end = Clock::now() + std::chrono::seconds(1); Clock::now() < end;) continue;
}

}  // namespace

TEST_CASE("the time that a thread waits for its processor is measured") {
  int64_t running = 0, waiting = 0;
  if (!(std::ifstream("/proc/self/schedstat") >> running >> waiting) || running == 0) {
    WARN("Linux does not count here how long threads wait");
    return;
  }
  ProcessorWaits waits;
  const int processor = sched_getcpu();
  std::jthread first(occupy, processor), second(occupy, processor), third(occupy, processor);
  first.join();
  const auto waited = waits.longest_since_last_call();
  CHECK(waited > std::chrono::milliseconds(300));  // of three threads on a processor, one at least waits two thirds
  second.join();
  third.join();
}

}  // namespace transformer
