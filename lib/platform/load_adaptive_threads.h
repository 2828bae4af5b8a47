#pragma once

namespace transformer {

/// Adapts the number of LibTorch's threads in this thread's operations: fewer while other programs use the processors,
/// too, and more while threads of this program leave theirs unused. After each operation all of its threads wait for
/// the slowest one, and actively, so that a thread which another program has interrupted makes the others waste their
/// time: one thread is then many times faster than two. Restores the number of threads in the end.
class LoadAdaptiveThreads {
 public:
  LoadAdaptiveThreads();
  ~LoadAdaptiveThreads();
  LoadAdaptiveThreads(const LoadAdaptiveThreads&) = delete;
  LoadAdaptiveThreads& operator=(const LoadAdaptiveThreads&) = delete;

  /// Chooses between `shares` times this thread's number of threads and one; called between operations, as often as
  /// possible. Where Linux does not tell how long a thread has waited for a processor, one is never chosen.
  void adapt(int shares);

 private:
  int threads_;  // this thread's number at first
};

}  // namespace transformer
