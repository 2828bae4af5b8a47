#pragma once

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace transformer {

/// Counts the connections that are served and those that wait.
class ConnectionCount {
 public:
  explicit ConnectionCount(int64_t most) : most_(most) {}

  void add(int64_t change) { count_ += change; }
  /// The connections above the number that is served at once.
  int64_t num_waiting() const { return std::max<int64_t>(0, count_ - most_); }

 private:
  const int64_t most_;
  std::atomic<int64_t> count_ = 0;
};

/// The library's own queue, whose connections are counted.
class ConnectionQueue : public httplib::TaskQueue {
 public:
  ConnectionQueue(size_t num_threads, ConnectionCount& count) : threads_(num_threads), count_(count) {}

  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));  // void; in later versions bool
  Enqueued enqueue(std::function<void()> serve) override {
    count_.add(1);
    return threads_.enqueue([this, serve = std::move(serve)] {
      serve();
      count_.add(-1);
    });
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  httplib::ThreadPool threads_;
  ConnectionCount& count_;
};

}  // namespace transformer
