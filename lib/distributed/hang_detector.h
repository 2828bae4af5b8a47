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

/// Decides from the times at which the work made progress whether it hangs: it has made none for ten times the longest
/// interval between two signs of progress so far (older intervals count 1 % less with each new one), but at least 18 s;
/// for 10 minutes in Activity::first_step; never in Activity::unlimited.
class HangDetector {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kFirstStep{10};

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
