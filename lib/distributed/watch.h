#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "distributed/life_sign.h"
#include "distributed/meeting.h"

namespace transformer {

/// What a rank's work is at: a step, in which it shows progress all the time; in a step, waiting for the other ranks;
/// or what may take any time, such as preparing, validating and saving.
enum class Activity { first_step, stepping, waiting, other };

/// Judges from the times at which work showed progress whether it hangs: where a stretch is far longer than any before.
/// Who waits is given longer than who works, so that a rank that others wait for can say itself that it hangs.
class HangRule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The work shows progress, and goes on with this activity.
  void progress(Time now, Activity activity);
  bool is_hanging(Time now) const;
  Activity activity() const { return activity_; }

 private:
  Time::duration limit() const;

  Activity activity_ = Activity::other;
  Time last_;
  Time::duration longest_{};  // of the stretches in steps, those long ago counting less
};

/// Beside the work of one rank of several, threads that make all of them end together. They leave a sign of life in the
/// store, and look for the others': where one has ended without a word, is frozen, or hangs, or has left word of an
/// error, they end this process. Whoever finds the cause first says it; the others end silently.
class Watch {
 public:
  Watch(const Membership& membership, const Store& store);
  /// Stops watching.
  ~Watch();

  /// To be called by the work whenever it turns to something else: `what` is "step 57".
  void turn_to(Activity activity, const std::string& what);
  void turn_to(Activity activity);
  /// To be called by the work whenever it gets on.
  void progress() { turn_to(activity()); }
  Activity activity();

  /// Ends all ranks, this one with `status`, for an error of its work: "rank 2 of 4 on node7, in step 57: cause" is
  /// said, unless another rank had a cause before.
  [[noreturn]] void end_with(const std::string& cause, int status);
  /// Where another rank is what this one's work failed of: returns where the watch does not find it.
  void wait_for_cause() const;

 private:
  void watch();
  void show_life();
  void look_at(int rank);
  bool hangs();
  [[noreturn]] void end_all(int rank, const std::string& cause, int status);
  [[noreturn]] void end_without_store() const;
  [[noreturn]] void leave(int status) const;

  /// The last sign of life of another rank, and when it changed last.
  struct Sign {
    std::string text;
    HangRule::Time since;
  };

  const Membership membership_;
  Store store_;
  std::mutex mutex_;
  HangRule rule_;
  std::string what_ = "start-up";
  int64_t waits_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::atomic<int64_t> signs_of_life_ = 0;
  HangRule::Time last_look_;
  std::vector<Sign> signs_;
  std::atomic<HangRule::Time> last_answer_;  // of the store
  std::jthread watching_, guarding_;
};

}  // namespace transformer
