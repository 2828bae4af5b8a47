#pragma once

#include <chrono>

namespace transformer {

/// What a rank does. It decides how long the rank may go without progress.
enum class Activity {
  first_step,  // allocates memory and chooses kernels, so it may take much longer than the steps that follow
  step,        // makes progress with every micro-batch
  collective,  // waits in a step for the other ranks
  unlimited,   // may take any time: preparing data, validating, saving
};

/// Decides from the times at which the work made progress whether it hangs: if it has made none for much longer than
/// ever before.
class HangDetector {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Records that the work has made progress and continues with `activity`.
  void progress(Time now, Activity activity);
  bool is_hanging(Time now) const;
  Activity activity() const { return activity_; }

 private:
  Time::duration limit() const;

  Activity activity_ = Activity::unlimited;
  Time last_;                 // when the work made progress last
  Time::duration longest_{};  // time between two signs of progress in steps; earlier ones count less and less
};

}  // namespace transformer
