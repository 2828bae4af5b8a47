#pragma once

namespace transformer {

/// Uses fewer of LibTorch's threads in this thread's operations while other programs use the processors, too. After
/// each operation all of its threads wait for the slowest one, and actively, so that a thread which another program has
/// interrupted makes the others waste their time: one thread is then many times faster than two. Restores the number of
/// threads in the end.
class LoadAdaptiveThreads {
 public:
  LoadAdaptiveThreads();
  ~LoadAdaptiveThreads();
  LoadAdaptiveThreads(const LoadAdaptiveThreads&) = delete;
  LoadAdaptiveThreads& operator=(const LoadAdaptiveThreads&) = delete;

  /// Chooses between all threads and one; called between operations, as often as possible. Where Linux does not tell
  /// how long a thread has waited for a processor, all threads are used.
  void adapt();

 private:
  int all_threads_;
};

}  // namespace transformer
