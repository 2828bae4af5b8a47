#pragma once

#include <torch/torch.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/membership.h"
#include "distributed/watch.h"

namespace transformer {

/// Communication with the other ranks broke off: what another rank met, most likely, and its cause is there.
class LostConnection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ranks that train together, over LibTorch's c10d: Gloo for what lies in the CPU's memory, NCCL for what lies in a
/// GPU's. A world of one needs no connection, and costs nothing. All ranks call the same functions in the same order;
/// where one has failed they throw LostConnection.
class ProcessGroup {
 public:
  /// Finds the store where the ranks meet. Throws Error where it is not there within `start_limit`.
  explicit ProcessGroup(const Membership& membership, std::chrono::seconds start_limit = std::chrono::seconds(120));
  ~ProcessGroup();

  /// Waits for the other ranks and connects with them; `device` is this one's. Throws Error where they do not come
  /// within the start limit, or were told of another number of ranks.
  void meet(torch::Device device);
  /// To be called where the work is done: returns when every rank has come here.
  void part();

  int rank() const { return membership_.rank; }
  int size() const { return membership_.size; }
  /// On this machine.
  int local_size() const { return membership_.local_size; }
  bool is_first() const { return rank() == 0; }

  /// Every rank's values added up, place by place.
  std::vector<double> sum(const std::vector<double>& values) const;
  /// Rank 0's value.
  double from_first(double value) const;
  /// The same for a tensor, in place.
  void all_reduce(const torch::Tensor& tensor) const;
  /// The values that rank `roots[i]` has in `tensors[i]`, into every rank's.
  void broadcast(const std::vector<torch::Tensor>& tensors, const std::vector<int>& roots) const;
  /// Returns when every rank has come here.
  void barrier() const { sum({0}); }

  /// What the watch beside this rank's work goes by.
  void turn_to(Activity activity, const std::string& what) const;
  void turn_to(Activity activity) const;
  void progress() const { turn_to(activity()); }
  Activity activity() const { return watch_ ? watch_->activity() : Activity::other; }
  /// See Watch; of several ranks only.
  void wait_for_cause() const;
  [[noreturn]] void end_with(const std::string& cause, int status) const;

 private:
  friend class DataParallel;
  struct Connection;

  Membership membership_;
  std::chrono::seconds start_limit_;
  Store store_;  // null in a world of one, as are these
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Connection> connection_;
};

/// Within it the rank's work waits for other ranks, which has a limit where they are known to take steps.
class WaitingScope {
 public:
  explicit WaitingScope(const ProcessGroup& group) : group_(group), before_(group.activity()) {
    if (before_ == Activity::stepping) group.turn_to(Activity::waiting);
  }
  ~WaitingScope() { group_.turn_to(before_); }
  WaitingScope(const WaitingScope&) = delete;
  WaitingScope& operator=(const WaitingScope&) = delete;

 private:
  const ProcessGroup& group_;
  const Activity before_;
};

}  // namespace transformer
