#pragma once

#include <torch/types.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/membership.h"
#include "distributed/rank_timeouts.h"
#include "distributed/watchdog.h"

namespace transformer {

/// Communication with the other ranks failed, most likely because another rank has failed. That rank knows the cause.
class LostConnection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ranks that train together, connected by LibTorch's c10d: Gloo for tensors in CPU memory, NCCL for tensors on
/// GPUs. A world of one rank has no connection and no watchdog, and so no overhead: set_activity and report_progress
/// do nothing there. All ranks call the same functions in the same order. The functions throw
/// LostConnection if another rank has failed.
class ProcessGroup {
 public:
  /// Waits for the other ranks. Throws Error if the store does not answer or some ranks do not join within
  /// `timeouts.start`, or if they expect another world size.
  explicit ProcessGroup(const Membership& membership, const RankTimeouts& timeouts = {});
  ~ProcessGroup();

  /// Connects to the other ranks; `device` is this rank's device. Throws Error if GLOO_SOCKET_IFNAME names an interface
  /// that cannot be used, and fails as fail_together does if some ranks use a CPU where others use a GPU.
  void connect(torch::Device device);
  /// Waits until all ranks have finished their work, so that no rank takes the exit of another for a failure, and
  /// closes the connections.
  void disconnect();

  /// As given, with the ranks of this machine counted if the launcher does not say how many there are.
  const Membership& membership() const { return membership_; }
  int rank() const { return membership_.rank; }
  int size() const { return membership_.world_size; }
  /// The number of ranks on this machine.
  int local_world_size() const { return membership_.local_world_size; }
  bool is_first() const { return rank() == 0; }

  /// Element-wise sum of the values of all ranks.
  std::vector<double> sum(const std::vector<double>& values) const;
  /// Rank 0's value, on every rank.
  double broadcast_from_first(double value) const;
  std::string broadcast_from_first(std::string text) const;
  /// Throws Error with `message` on the ranks whose value differs from rank 0's, and LostConnection on the others.
  void check_same_as_first(double value, const std::string& message) const;
  /// For an error that all ranks find in the same place: throws Error with `message` on rank 0, which reports it, and
  /// LostConnection on the others.
  [[noreturn]] void fail_together(const std::string& message) const;
  /// Replaces the tensor by its sum over all ranks.
  void all_reduce(const torch::Tensor& tensor) const;
  /// Replaces the tensors by those of rank `root`, coalesced into messages of 4 MiB.
  void broadcast(const std::vector<torch::Tensor>& tensors, int root) const;
  /// Blocks until all ranks have called it.
  void barrier() const { sum({0}); }

  /// Tells the watchdog what this rank does now. The description is for messages: "the validation after step 57".
  void set_activity(Activity activity, const std::string& description) const;
  /// Changes the activity and keeps the description.
  void set_activity(Activity activity) const;
  /// Tells the watchdog that this rank does not hang.
  void report_progress() const { set_activity(activity()); }
  /// What was set last; unlimited in a world of one rank.
  Activity activity() const { return watchdog_ ? watchdog_->activity() : Activity::unlimited; }

  /// For a world of several ranks, if the work failed because of another rank: waits until the watchdog finds the cause
  /// and ends this process; returns if it finds none.
  void wait_for_cause() const;
  /// For a world of several ranks: reports the error `cause` of this rank's work and ends all ranks, this one with the
  /// exit status. After disconnect(), it ends only this rank: the others have done their work.
  [[noreturn]] void end_all_ranks(const std::string& cause, int status) const;

 private:
  friend class DistributedDataParallel;
  struct Connection;

  void check_all_ranks_use(torch::DeviceType type) const;

  Membership membership_;
  RankTimeouts timeouts_;
  Store store_;  // store_, watchdog_ and connection_ are null in a world of one rank
  std::unique_ptr<Watchdog> watchdog_;
  std::unique_ptr<Connection> connection_;
};

/// During its lifetime this rank does `activity`, and afterwards again what it did before.
class ActivityScope {
 public:
  ActivityScope(const ProcessGroup& group, Activity activity) : group_(group), before_(group.activity()) {
    if (activity != before_) group.set_activity(activity);
  }
  ~ActivityScope() { group_.set_activity(before_); }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  const ProcessGroup& group_;
  const Activity before_;
};

/// During its lifetime the watchdog counts this rank as waiting in a collective, if it was in Activity::step before;
/// other activities do not change.
class CollectiveScope : public ActivityScope {
 public:
  explicit CollectiveScope(const ProcessGroup& group)
      : ActivityScope(group, group.activity() == Activity::step ? Activity::collective : group.activity()) {}
};

}  // namespace transformer
