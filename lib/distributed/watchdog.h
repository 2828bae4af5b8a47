#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/awake_clock.h"
#include "distributed/heartbeat.h"
#include "distributed/rendezvous.h"

namespace transformer {

/// What a rank does.
enum class Activity {
  step,        // makes progress with every micro-batch
  collective,  // waits in a step for the other ranks
  unlimited,   // may take any time: preparing data, validating, saving
};

/// Makes all ranks exit together when one of them fails. Its threads write this rank's heartbeat to the store and read
/// those of other ranks. They end this process if another rank has exited without an error message, is frozen, hangs,
/// or has reported an error. The rank that finds the cause first reports it; the others exit silently. If the store is
/// lost, one rank of each machine reports it. Ranks that were suspended together go on.
class Watchdog {
 public:
  /// Starts the threads. A rank hangs if it makes no progress in a step for `step_timeout`.
  Watchdog(const Membership& membership, const Store& store, std::chrono::seconds step_timeout);
  /// Stops the threads.
  ~Watchdog();

  /// The work calls this when it begins something else, which `description` names: "the validation after step 57".
  void set_activity(Activity activity, const std::string& description);
  /// Changes the activity and keeps the description.
  void set_activity(Activity activity);
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
    AwakeClock::Time since;
  };

  const Membership membership_;
  const std::chrono::seconds step_timeout_;
  Store store_;
  std::mutex mutex_;  // protects activity_, description_, last_progress_ and num_collectives_
  Activity activity_ = Activity::unlimited;
  std::string description_ = "start-up";
  int64_t num_collectives_ = 0;
  AwakeClock clock_;
  AwakeClock::Time last_progress_;
  int num_suspensions_ = 0;  // after which the times in `seen_` began anew
  std::atomic<bool> is_ending_ = false;
  std::atomic<int64_t> num_heartbeats_ = 0;
  AwakeClock::Time last_check_;  // of the other ranks
  std::vector<SeenHeartbeat> seen_;
  std::atomic<AwakeClock::Time> last_answer_;  // of the store
  std::jthread watching_, guarding_;
};

}  // namespace transformer
