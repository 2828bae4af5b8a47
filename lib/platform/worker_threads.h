#pragma once

#include <torch/types.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace transformer {

/// Threads that do the same kind of work side by side. While they have no work they sleep, and use no processor.
class WorkerThreads {
 public:
  /// Several workers are threads of their own, among which LibTorch's threads, those of the calling thread's operations
  /// (at::get_num_threads), are divided equally; each worker has at least one. One worker is the calling thread itself.
  explicit WorkerThreads(int count);
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  /// How many workers share `num_items` items on this device: on a CPU as many as LibTorch has threads, but at most one
  /// for each item; on a GPU one.
  static int count_for(int64_t num_items, torch::Device device);

  int size() const { return count_; }

  /// Calls work(0) ... work(size() - 1), each by another worker, in the calling thread's state (gradients, inference
  /// mode, device), and waits until all have returned. Rethrows the exception of the first of them that threw one. One
  /// thread at a time may call it.
  void run(const std::function<void(int worker)>& work);
  /// Calls work(worker, 0) ... work(worker, count - 1), each by the worker that is free first, as `run` does. After an
  /// exception no further call begins.
  void for_each(int64_t count, const std::function<void(int worker, int64_t item)>& work);

 private:
  void wait_for_work(int worker, int threads_each);
  void stop();

  int count_;
  std::vector<std::thread> threads_;  // none for one worker
  std::mutex mutex_;                  // protects what follows
  std::condition_variable begin_, end_;
  std::function<void(int worker)> work_;
  int64_t round_ = 0;  // how often `run` was called
  int num_running_ = 0;
  bool is_stopping_ = false;
  std::vector<std::exception_ptr> errors_;
};

}  // namespace transformer
