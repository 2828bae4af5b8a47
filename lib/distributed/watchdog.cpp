#include "distributed/watchdog.h"

#include <fmt/core.h>
#include <unistd.h>

#include <sstream>

#include "base/clock.h"
#include "base/error.h"
#include "base/host_name.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/terminal.h"

namespace transformer {
namespace {

constexpr std::chrono::milliseconds kHeartbeatInterval(100), kCheckInterval(500);
constexpr std::chrono::seconds kHeartbeatTimeout(15);  // after which a rank counts as frozen
constexpr std::chrono::seconds kCauseTimeout(25);      // longer than the watchdog needs to find another rank's failure
constexpr std::chrono::seconds kStoreTimeout(10);
constexpr const char* kErrorKey = "error";
constexpr const char* kRemedy =
    "; check that machine and the network, then run the same command again to resume from the last checkpoint";

/// The error that ends all ranks, which the store has as text() under kErrorKey.
struct Cause {
  int rank = 0;  // that reports it
  int status = 1;
  std::string message;

  std::string text() const { return fmt::format("{} {} {}", rank, status, message); }
  static Cause read(const std::string& text) {
    Cause cause;
    std::istringstream stream(text);
    stream >> cause.rank >> cause.status >> std::ws;
    std::getline(stream, cause.message, '\0');
    return cause;
  }
};

/// A connection of the watchdog's own, so that heartbeats continue while the rank's work waits for the store.
Store own_connection(const Store& store) {
  const c10d::StoreTimeoutGuard guard(*store, kStoreTimeout);
  Store own = store->clone();
  own->setTimeout(kStoreTimeout);
  return own;
}

}  // namespace

Watchdog::Watchdog(const Membership& membership, const Store& store, std::chrono::seconds step_timeout)
    : membership_(membership),
      step_timeout_(step_timeout),
      store_(own_connection(store)),
      clock_(Clock::now()),
      last_progress_(clock_.now()),
      seen_(static_cast<size_t>(membership.world_size), {"", clock_.now()}),
      last_answer_(clock_.now()),
      watching_([this](const std::stop_token& stop) {
        for (; !stop.stop_requested(); std::this_thread::sleep_for(kHeartbeatInterval)) watch();
      }),
      guarding_([this](const std::stop_token& stop) {
        for (; !stop.stop_requested(); std::this_thread::sleep_for(kCheckInterval)) {
          if (clock_.tick(Clock::now())) last_answer_ = clock_.now();
          if (clock_.now() - last_answer_.load() > kHeartbeatTimeout) end_without_store();
        }
      }) {}

Watchdog::~Watchdog() = default;

void Watchdog::set_activity(Activity activity, const std::string& description) {
  set_activity(activity);
  const std::lock_guard lock(mutex_);
  description_ = description;
}

void Watchdog::set_activity(Activity activity) {
  const std::lock_guard lock(mutex_);
  if (activity == Activity::collective && activity_ != Activity::collective) ++num_collectives_;
  activity_ = activity;
  last_progress_ = clock_.now();
}

Activity Watchdog::activity() {
  const std::lock_guard lock(mutex_);
  return activity_;
}

void Watchdog::wait_for_cause() const {
  for (const auto end = clock_.now() + kCauseTimeout; clock_.now() < end;) {
    if (stop_requested()) _exit(1);  // the launcher ends all ranks and reports why
    std::this_thread::sleep_for(kCheckInterval);
  }
}

void Watchdog::watch() {
  const int num_suspensions = clock_.num_suspensions();
  try {
    send_heartbeat();
    watch_other_ranks();
  } catch (const std::exception&) {
    // The store had no time to answer if this process was suspended, which the clock notices soon.
    std::this_thread::sleep_for(2 * kCheckInterval);
    if (clock_.num_suspensions() == num_suspensions) end_without_store();
  }
}

void Watchdog::watch_other_ranks() {
  if (Clock::now() - last_check_ < kCheckInterval) return;
  last_check_ = Clock::now();
  if (!is_ending_ && store_->check({kErrorKey})) {
    const Cause cause = Cause::read(store_->get_to_str(kErrorKey));
    log_to_file(LogLevel::error, cause.message);  // only rank 0 has such a file
    exit_after_others(cause.status);
  }
  check_progress();
  if (num_suspensions_ != clock_.num_suspensions()) {  // other ranks may have been suspended earlier or for longer
    num_suspensions_ = clock_.num_suspensions();
    for (SeenHeartbeat& seen : seen_) seen.since = clock_.now();
  }
  // Rank 0 checks all the other ranks, and they check rank 0.
  const bool is_first = membership_.rank == 0;
  for (int rank = is_first ? 1 : 0; rank < (is_first ? membership_.world_size : 1); ++rank) check_heartbeat(rank);
  last_answer_ = clock_.now();
}

/// Ends this process because the store does not answer: the process that holds it has exited or is frozen, or its
/// machine is lost. The lowest remaining rank reports it, and local rank 0 of each machine, because the lowest one may
/// be lost with the store's machine.
void Watchdog::end_without_store() const {
  const int lowest_remaining = membership_.launcher_has_store ? 0 : 1;
  if (membership_.rank == lowest_remaining || membership_.local_rank == 0) {
    log(LogLevel::error, fmt::format("{} at {}:{} no longer answers: it has exited, is frozen or cannot be reached{}",
                                     membership_.launcher_has_store ? "the launcher" : "rank 0", membership_.address,
                                     membership_.port, kRemedy));
  }
  _exit(1);
}

void Watchdog::send_heartbeat() {
  Heartbeat heartbeat;
  heartbeat.count = ++num_heartbeats_;
  heartbeat.host = host_name();
  {
    const std::lock_guard lock(mutex_);
    heartbeat.activity = description_;
    heartbeat.in_collective = activity_ == Activity::collective;
    heartbeat.num_collectives = num_collectives_;
  }
  write_heartbeat(*store_, membership_.rank, heartbeat);
}

/// Ends all ranks if this rank hangs. If it waits for another rank, it leaves the decision to that rank, which knows
/// whether it hangs or is merely slow.
void Watchdog::check_progress() {
  {
    const std::lock_guard lock(mutex_);
    // The work may wait for as long as the terminal's output is suspended.
    if (is_writing_to_stderr()) last_progress_ = clock_.now();
    if (activity_ == Activity::unlimited || clock_.now() - last_progress_ <= step_timeout_) return;
  }
  if (blocking_rank(*store_, membership_.rank, membership_.world_size) != membership_.rank) return;
  const auto hangs = fmt::format("hangs: no progress for {} s (--step-timeout){}", step_timeout_.count(), kRemedy);
  end_all(membership_.rank, hangs, 1);
}

void Watchdog::check_heartbeat(int rank) {
  SeenHeartbeat& seen = seen_[static_cast<size_t>(rank)];
  const bool is_there = store_->check({heartbeat_key(rank)});
  const auto text = is_there ? store_->get_to_str(heartbeat_key(rank)) : std::string();
  if (text != seen.text) {
    seen = {text, clock_.now()};
  } else if (clock_.now() - seen.since > kHeartbeatTimeout) {
    end_all(rank, fmt::format("has sent no heartbeat for {} s{}", kHeartbeatTimeout.count(), kRemedy), 1);
  }
}

void Watchdog::end_all_ranks(const std::string& cause, int status) {
  try {
    send_heartbeat();
    end_all(membership_.rank, cause, status);
  } catch (const std::exception&) {  // The store does not answer, which ends the other ranks as well.
    const std::lock_guard lock(mutex_);
    log(LogLevel::error, describe_rank(membership_.rank, membership_.world_size, host_name(), description_) + cause);
    close_status();
    _exit(status);
  }
}

void Watchdog::end_all(int rank, const std::string& cause, int status) {
  is_ending_ = true;
  const std::string text =
      Cause{membership_.rank, status, describe_rank(*store_, rank, membership_.world_size) + cause}.text();
  // Several ranks may have found a cause; the one whose entry comes first reports it.
  const std::string first = store_->compareSet(kErrorKey, "", text);
  const Cause reported = Cause::read(first);
  if (first == text) {
    log(LogLevel::error, reported.message);
  } else {
    log_to_file(LogLevel::error, reported.message);
  }
  exit_after_others(reported.status);
}

/// Exits once all ranks have read the cause: this process may hold the store, and a launcher ends the other ranks when
/// one exits.
void Watchdog::exit_after_others(int status) const {
  close_status();
  std::this_thread::sleep_for(3 * kCheckInterval);
  _exit(status);
}

}  // namespace transformer
