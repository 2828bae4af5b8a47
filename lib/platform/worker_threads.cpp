#include "platform/worker_threads.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>

#include <algorithm>
#include <atomic>

#include "platform/own_threads.h"

namespace transformer {

WorkerThreads::WorkerThreads(int count) : count_(count), errors_(static_cast<size_t>(count)) {
  if (count == 1) return;
  const int threads_each = std::max(1, at::get_num_threads() / count);
  try {
    for (int worker = 0; worker < count; ++worker) {
      threads_.emplace_back([this, worker, threads_each] { wait_for_work(worker, threads_each); });
    }
  } catch (...) {  // the system allows no further thread
    stop();
    throw;
  }
}

int WorkerThreads::count_for(int64_t num_items, torch::Device device) {
  return device.is_cpu() ? static_cast<int>(std::clamp<int64_t>(num_items, 1, at::get_num_threads())) : 1;
}

WorkerThreads::~WorkerThreads() { stop(); }

void WorkerThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  begin_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerThreads::run(const std::function<void(int worker)>& work) {
  if (threads_.empty()) return work(0);
  std::unique_lock lock(mutex_);
  work_ = [&work, state = at::ThreadLocalState()](int worker) {
    const at::ThreadLocalStateGuard guard(state);
    work(worker);
  };
  ++round_;
  num_running_ = count_;
  errors_.assign(errors_.size(), nullptr);
  begin_.notify_all();
  end_.wait(lock, [&] { return num_running_ == 0; });
  work_ = nullptr;
  for (const auto& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

void WorkerThreads::for_each(int64_t count, const std::function<void(int worker, int64_t item)>& work) {
  std::atomic<int64_t> next = 0;
  run([&](int worker) {
    try {
      for (int64_t item = next++; item < count; item = next++) work(worker, item);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

void WorkerThreads::wait_for_work(int worker, int threads_each) {
  set_own_threads(threads_each);
  std::unique_lock lock(mutex_);
  for (int64_t last_round = 0;;) {
    begin_.wait(lock, [&] { return is_stopping_ || round_ > last_round; });
    if (is_stopping_) return;
    last_round = round_;
    lock.unlock();
    std::exception_ptr error;
    try {
      work_(worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    errors_[static_cast<size_t>(worker)] = error;
    if (--num_running_ == 0) end_.notify_one();
  }
}

}  // namespace transformer
