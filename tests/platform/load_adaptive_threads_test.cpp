#include "platform/load_adaptive_threads.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "catch.h"

namespace transformer {

TEST_CASE("beside other busy threads, operations use one thread, and afterwards as many as before") {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) return;
  const int own_threads = at::get_num_threads();
  at::set_num_threads(3);
  std::atomic<bool> is_over = false;
  std::vector<std::thread> others;
  for (unsigned i = 0; i < 3 * std::thread::hardware_concurrency(); ++i) {
    others.emplace_back([&] {
      while (!is_over) {
      }
    });
  }
  {
    LoadAdaptiveThreads threads;
    const auto start = Clock::now();
    while (at::get_num_threads() > 1 && seconds_since(start) < 60) threads.adapt(1);
    CHECK(at::get_num_threads() == 1);
  }
  CHECK(at::get_num_threads() == 3);
  is_over = true;
  for (auto& thread : others) thread.join();
  at::set_num_threads(own_threads);
}

TEST_CASE("operations use the shares of other threads that leave them") {
  std::vector<int> seen;
  std::thread([&] {  // a new one, which knows of no load
    at::set_num_threads(2);
    {
      LoadAdaptiveThreads threads;
      for (const int shares : {1, 3, 1}) {
        threads.adapt(shares);
        seen.push_back(at::get_num_threads());
      }
      threads.adapt(2);
    }
    seen.push_back(at::get_num_threads());
  })
      .join();
  CHECK(seen == std::vector{2, 6, 2, 2});
}

}  // namespace transformer
