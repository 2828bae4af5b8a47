#include "platform/processor_waits.h"

#include <sched.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "catch.h"

namespace transformer {
namespace {

/// Computes on one processor until `ends` is true.
template <class Condition>
void occupy(int processor, const Condition& ends) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof(set), &set);  // of this thread
  while (!ends()) continue;
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
  // The waits of a thread that has ended are no longer counted, so two threads go on until the waits are read.
  std::atomic<bool> is_read = false;
  const auto until_read = [&] { occupy(processor, [&] { return is_read.load(); }); };
  std::jthread second(until_read), third(until_read);
  std::jthread first([&] {
    const auto end = Clock::now() + std::chrono::seconds(1);
    occupy(processor, [&] { return Clock::now() >= end; });
  });
  first.join();
  const auto waited = waits.longest_since_last_call();
  const auto soon_after = waits.longest_since_last_call();
  is_read = true;
  CHECK(waited > std::chrono::milliseconds(300));  // of three threads on a processor, one at least waits two thirds
  CHECK(soon_after < waited / 2);
}

}  // namespace transformer
