#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "distributed/awake_clock.h"
#include "distributed/hang_detector.h"
#include "distributed/heartbeat.h"
#include "distributed/rendezvous.h"
#include "platform/processor_waits.h"

namespace transformer {

/// Makes all ranks exit together when one of them fails. Its threads write this rank's heartbeat to the store and read
/// those of other ranks. They end this process if another rank has exited without an error message, is frozen, hangs,
/// or has reported an error. The rank that finds the cause first reports it; the others exit silently. If the store is
/// lost, one rank of each machine reports it. Ranks that were suspended together go on.
class Watchdog {
 public:
  /// Starts the threads.
  Watchdog(const Membership& membership, const Store& store);
  /// Stops the threads.
  ~Watchdog();

  /// The work calls this when it begins something else, which `description` names: "the validation after step 57".
  void set_activity(Activity activity, const std::string& description);
  /// Changes the activity and keeps the description.
  void set_activity(Activity activity);
  /// The work calls this at the beginning of each step.
  void begin_step(int64_t step);
  Activity activity();

  /// Ends all ranks, this one with exit status `status`, because of an error in this rank's work. Reports
  /// "rank 2 of 4 on node7, during step 57: cause", unless another rank has already reported a cause.
  [[noreturn]] void end_all_ranks(const std::string& cause, int status);
  /// The work calls this if it has failed because of another rank. The watchdog ends the process when it finds the
  /// cause; the function returns if it does not find one.
  void wait_for_cause() const;

 private:
  void watch();
  void watch_other_ranks();
  void send_heartbeat();
  void check_heartbeat(int rank);
  void check_progress();
  [[noreturn]] void end_all(int rank, const std::string& cause, int status);
  [[noreturn]] void end_without_store() const;
  [[noreturn]] void exit_after_others(int status) const;

  /// The last heartbeat of another rank, and since when it has not changed.
  struct SeenHeartbeat {
    std::string text;
    HangDetector::Time since;
  };

  const Membership membership_;
  Store store_;
  std::mutex mutex_;  // protects detector_, description_, num_collectives_ and first_step_
  HangDetector detector_;
  std::string description_ = "start-up";
  int64_t num_collectives_ = 0;
  std::optional<int64_t> first_step_;  // of this process
  ProcessorWaits processor_waits_;
  AwakeClock clock_;
  int num_suspensions_ = 0;  // after which the times in `seen_` began anew
  std::atomic<bool> is_ending_ = false;
  std::atomic<int64_t> num_heartbeats_ = 0;
  HangDetector::Time last_check_;  // of the other ranks
  std::vector<SeenHeartbeat> seen_;
  std::atomic<HangDetector::Time> last_answer_;  // of the store
  std::jthread watching_, guarding_;
};

}  // namespace transformer
