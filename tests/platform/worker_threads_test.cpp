#include "platform/worker_threads.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "catch.h"

namespace transformer {

TEST_CASE("each worker runs once in a thread of its own, and one worker in the calling thread") {
  const int count = GENERATE(1, 2, 5);
  WorkerThreads workers(count);
  CHECK(workers.size() == count);
  for (int round = 0; round < 3; ++round) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::multiset<int> numbers;
    workers.run([&](int worker) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      numbers.insert(worker);
    });
    CHECK(std::ssize(threads) == count);
    CHECK(threads.contains(std::this_thread::get_id()) == (count == 1));
    CHECK(std::ssize(numbers) == count);
    CHECK(std::ssize(std::set<int>(numbers.begin(), numbers.end())) == count);
  }
}

TEST_CASE("workers have their own number of LibTorch threads and the caller's state") {
  const int own_threads = at::get_num_threads();
  at::set_num_threads(6);
  WorkerThreads workers(2);
  const torch::NoGradGuard no_grad;
  std::atomic<int> as_expected = 0;
  workers.run(
      [&](int /*worker*/) { as_expected += at::get_num_threads() == 3 && !torch::GradMode::is_enabled() ? 1 : 0; });
  CHECK(as_expected == 2);
  CHECK(at::get_num_threads() == 6);
  CHECK(WorkerThreads::count_for(100, torch::kCPU) == 6);
  CHECK(WorkerThreads::count_for(4, torch::kCPU) == 4);
  CHECK(WorkerThreads::count_for(0, torch::kCPU) == 1);
  CHECK(WorkerThreads::count_for(100, torch::kCUDA) == 1);
  at::set_num_threads(own_threads);
}

TEST_CASE("each item is taken by one worker") {
  WorkerThreads workers(GENERATE(1, 3));
  std::vector<std::atomic<int>> calls(100);
  workers.for_each(100, [&](int worker, int64_t item) {
    if (worker >= 0 && worker < workers.size()) ++calls[static_cast<size_t>(item)];
  });
  int once = 0;
  for (const auto& count : calls) once += count == 1 ? 1 : 0;
  CHECK(once == 100);
}

TEST_CASE("an exception in a worker reaches the caller, no further item is begun, and the workers can be used again") {
  WorkerThreads workers(GENERATE(1, 3));
  std::atomic<int> begun = 0;
  const auto fail = [&](int /*worker*/, int64_t item) {
    ++begun;
    if (item == 4) throw std::runtime_error("item 4");
  };
  CHECK_THROWS_WITH(workers.for_each(1'000'000, fail), "item 4");
  CHECK(begun < 1'000'000);
  std::atomic<int> calls = 0;
  workers.run([&](int /*worker*/) { ++calls; });
  CHECK(calls == workers.size());
}

}  // namespace transformer
