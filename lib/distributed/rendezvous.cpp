#include "distributed/rendezvous.h"

#include <c10/util/Logging.h>
#include <fmt/core.h>

#include <algorithm>
#include <future>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/host_name.h"
#include "distributed/heartbeat.h"
#include "distributed/loopback.h"
#include "distributed/own_failure.h"
#include "platform/open_files.h"

namespace transformer {
namespace {

constexpr std::chrono::milliseconds kPollInterval(100);
constexpr std::chrono::seconds kGrace(5);  // in which rank 0 reports who is missing

constexpr const char* kRoundKey = "round";      // of the store: the round that rank 0 has begun last
constexpr const char* kOutcomeKey = "outcome";  // of a round: kComplete, or why not all ranks can join
constexpr const char* kComplete = "complete";

constexpr const char* kLoopback = "127.0.0.1";

/// Failures are reported by our own messages, without c10d's warnings and stack traces.
void leave_messages_to_us() { FLAGS_caffe2_log_level = 3; }

Store prefix_store(const Store& store, const std::string& name) {
  return c10::make_intrusive<c10d::PrefixStore>(name, store);
}

/// The keys of this program's ranks and of one job.
Store store_of_job(const Store& store, const std::string& job) { return prefix_store(store, "transformer/" + job); }

std::string address_of(const Membership& m) { return fmt::format("{}:{}", m.address, m.port); }

std::string join_key(int rank) { return fmt::format("joined/{}", rank); }

/// A random id of this process.
std::string new_identity() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// Returns what `use_store` returns; throws if it takes longer than the limit. TCPStore has a timeout for its
/// connection, but waits for ever for an answer, which a frozen process, or another service than a store, does not
/// give.
template <class UseStore>
Store call_with_timeout(std::chrono::seconds limit, UseStore use_store) {
  // Lets c10d's own timeout end first, so that its thread is not at work when the process exits.
  static constexpr std::chrono::seconds kMargin(2);
  std::packaged_task<Store()> task(std::move(use_store));
  auto store = task.get_future();
  std::thread(std::move(task)).detach();  // if there is no answer, the thread waits until the process exits
  if (store.wait_for(limit + kMargin) == std::future_status::timeout) {
    throw std::runtime_error(fmt::format("waited for {} s", (limit + kMargin).count()));
  }
  return store.get();
}

/// One meeting of all ranks: rank 0 begins it and the others join it, until all have joined or one of them fails it.
class Round {
 public:
  /// `text` is the value of kRoundKey, as the function `text` makes it.
  Round(const Store& store, const std::string& text)
      : size_(text.substr(text.find(' ') + 1)), store_(prefix_store(store, text.substr(0, text.find(' ')))) {}

  static std::string text(const std::string& identity, int size) { return fmt::format("{} {}", identity, size); }

  const std::string& size() const { return size_; }
  const Store& store() const { return store_; }

  /// Joins as this rank in place of another process. A dead rank is found by the heartbeat that it leaves.
  void replace(int rank, const std::string& identity) {
    write_heartbeat(*store_, rank, {.host = host_name(), .activity = "start-up"});
    store_->set(join_key(rank), identity);
  }
  /// Joins as this rank, unless another process has.
  void join(int rank, const std::string& identity) {
    if (store_->compareSet(join_key(rank), "", identity) == identity) replace(rank, identity);
  }
  bool has(int rank, const std::string& identity) const { return store_->get_to_str(join_key(rank)) == identity; }
  std::vector<std::string> missing_ranks(int size) const {
    std::vector<std::string> missing;
    for (int rank = 1; rank < size; ++rank) {
      if (!store_->check({join_key(rank)})) missing.push_back(std::to_string(rank));
    }
    return missing;
  }

  bool is_over() const { return store_->check({kOutcomeKey}); }
  std::string outcome() const { return store_->get_to_str(kOutcomeKey); }
  /// Ends the round with this outcome, unless it has one. Returns the outcome that it has now.
  std::string end(const std::string& outcome) { return store_->compareSet(kOutcomeKey, "", outcome); }

 private:
  std::string size_;
  Store store_;
};

std::string described(const Membership& m, const std::string& reason) {
  return describe_rank(m.rank, m.world_size, host_name(), "start-up") + reason;
}

std::string did_not_join(const Membership& m, const std::vector<std::string>& ranks, std::chrono::seconds timeout) {
  static constexpr size_t kMaxShown = 8;
  return described(
      m, fmt::format("rank{}{} of {} did not join at {} within {} s; start all ranks, or increase --start-timeout",
                     ranks.size() == 1 ? " " : "s ", enumeration(ranks, "and", kMaxShown), m.world_size, address_of(m),
                     timeout.count()));
}

std::string started_twice(const Membership& m) {
  return described(m, fmt::format("another process has also joined as rank {}; start each rank once, with a different "
                                  "RANK for each",
                                  m.rank));
}

/// Ends a rank without a message once rank 0 has reported why, since a launcher ends all ranks when one exits.
[[noreturn]] void exit_after_first() {
  std::this_thread::sleep_for(10 * kPollInterval);
  throw ReportedFailure(1);
}

/// Rank 0 begins a round and waits for the others. It reports why they cannot meet.
Store begin_round(const Membership& m, const Store& store, std::chrono::seconds timeout) {
  const std::string text = Round::text(new_identity(), m.world_size);
  Round round(store, text);
  if (m.launcher_has_store) {
    store->set(kRoundKey, text);
  } else if (store->compareSet(kRoundKey, "", text) != text) {
    throw Error("{}", started_twice(m));
  }
  round.replace(m.rank, text);
  const auto end = Clock::now() + timeout;
  auto missing = round.missing_ranks(m.world_size);
  while (!missing.empty() && !round.is_over() && Clock::now() < end) {
    std::this_thread::sleep_for(kPollInterval);
    missing = round.missing_ranks(m.world_size);
  }
  const std::string outcome = round.end(missing.empty() ? kComplete : did_not_join(m, missing, timeout));
  if (outcome == kComplete) return round.store();
  if (!m.launcher_has_store) std::this_thread::sleep_for(5 * kPollInterval);  // the others read it here
  throw Error("{}", outcome);
}

/// Joins the round. Returns why this rank cannot take part in it; empty if it can.
std::string try_to_join(const Membership& m, Round& round, const std::string& identity) {
  if (round.size() != std::to_string(m.world_size)) {
    return described(m,
                     fmt::format("expects {} ranks, but rank 0 expects {}; set the same WORLD_SIZE for all ranks, or "
                                 "start them with one launcher",
                                 m.world_size, round.size()));
  }
  if (m.launcher_has_store) {
    round.replace(m.rank, identity);  // the earlier process may be one that the launcher has killed
  } else {
    round.join(m.rank, identity);
  }
  return round.has(m.rank, identity) ? "" : started_twice(m);
}

/// The other ranks join the latest round. In a launcher's store it may be one of ranks that the launcher has restarted
/// since: then they wait for the next one.
Store join_latest_round(const Membership& m, const Store& store, std::chrono::seconds timeout) {
  const std::string identity = new_identity();
  std::optional<Round> round;
  std::string text, reason = did_not_join(m, {"0"}, timeout);
  for (auto end = Clock::now() + timeout; Clock::now() < end; std::this_thread::sleep_for(kPollInterval)) {
    if (store->check({kRoundKey}) && store->get_to_str(kRoundKey) != text) {
      text = store->get_to_str(kRoundKey);
      round.emplace(store, text);
      if (m.launcher_has_store && round->is_over()) round.reset();
      if (!round) continue;
      reason = try_to_join(m, *round, identity);
      end = Clock::now() + timeout + kGrace;
    }
    if (!round) continue;
    if (!reason.empty() && !m.launcher_has_store) round->end(reason);
    if (!round->is_over()) continue;
    if (round->outcome() != kComplete) exit_after_first();
    if (!reason.empty()) throw Error("{}", reason);
    if (!round->has(m.rank, identity)) throw Error("{}", started_twice(m));
    return round->store();
  }
  if (!round) throw Error("{}", reason);
  const std::string mine =
      reason.empty() ? described(m, fmt::format("rank 0 at {} no longer answers", address_of(m))) : reason;
  const std::string outcome = round->end(mine);
  if (outcome == kComplete && reason.empty() && round->has(m.rank, identity)) return round->store();
  if (outcome != mine) exit_after_first();
  throw Error("{}", mine);
}

}  // namespace

void allow_connections(int world_size) {
  // A rank has about 15 files and sockets open, and one or two more for each other rank, as has the process with the
  // store. CUDA and NCCL open some dozens.
  static constexpr int64_t kOwn = 64, kOfEachRank = 4;
  allow_open_files(kOwn + kOfEachRank * world_size, fmt::format("training on {} ranks", world_size).c_str());
}

Store open_launcher_store(int& port, std::chrono::seconds timeout) {
  leave_messages_to_us();
  check_loopback();
  c10d::TCPStoreOptions options;
  options.port = 0;  // any free port
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>(kLoopback, options);
    port = store->getPort();
    return store_of_job(store, "");
  } catch (const std::exception& failure) {
    if (is_own_failure(failure)) throw;
    throw Error("cannot open a store for the ranks at {}: {}", kLoopback, first_line(failure.what()));
  }
}

Store open_store(const Membership& m, std::chrono::seconds timeout) {
  leave_messages_to_us();
  if (m.address == kLoopback || m.address == "localhost") check_loopback();
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(m.port);
  options.isServer = m.rank == 0 && !m.launcher_has_store;
  options.waitWorkers = false;
  options.timeout = timeout;
  const auto begin = Clock::now();
  try {
    const auto store =
        call_with_timeout(timeout, [=] { return c10::make_intrusive<c10d::TCPStore>(m.address, options); });
    return store_of_job(store, m.job);
  } catch (const std::exception& failure) {
    if (is_own_failure(failure)) throw;
    const std::string what = failure.what();
    if (what.find("EADDRINUSE") != std::string::npos) {
      throw Error("rank 0: port {} of this machine is in use; set another MASTER_PORT for all ranks", m.port);
    }
    if (options.isServer) {
      throw Error(
          "rank 0: cannot reach itself at {} ({}); set MASTER_ADDR, for all ranks, to an address of the machine of "
          "rank "
          "0 that all machines reach",
          address_of(m), first_line(what));
    }
    const std::string problem = Clock::now() - begin < timeout
                                    ? fmt::format("no store at {} ({})", address_of(m), first_line(what))
                                    : fmt::format("no answer from {} within {} s", address_of(m), timeout.count());
    throw Error("rank {} of {} on {}: {}; check MASTER_ADDR and MASTER_PORT, and that rank 0 was started there", m.rank,
                m.world_size, host_name(), problem);
  }
}

Store rendezvous(const Membership& m, const Store& store, std::chrono::seconds timeout) {
  try {
    return call_with_timeout(2 * timeout + kGrace, [=] {
      return m.rank == 0 ? begin_round(m, store, timeout) : join_latest_round(m, store, timeout);
    });
  } catch (const std::exception& failure) {
    if (is_own_failure(failure)) throw;
    throw Error("{}", described(m, fmt::format("the store at {} no longer answers ({}); look at the messages of rank 0 "
                                               "and of the launcher",
                                               address_of(m), first_line(failure.what()))));
  }
}

Membership count_local_ranks(Membership m, const Store& store) {
  if (m.local_rank != Membership::kUnknown && m.local_world_size != Membership::kUnknown) return m;
  const std::string own_host = host_of_rank(*store, m.rank);
  int on_this_host = 0, before = 0;
  for (int rank = 0; rank < m.world_size; ++rank) {
    if (host_of_rank(*store, rank) != own_host) continue;
    if (rank < m.rank) ++before;
    ++on_this_host;
  }
  if (m.local_rank == Membership::kUnknown) m.local_rank = before;
  // Containers on one machine have host names of their own, but the launcher may number their ranks together.
  if (m.local_world_size == Membership::kUnknown) m.local_world_size = std::max(on_this_host, m.local_rank + 1);
  return m;
}

Store store_of_latest_round(const Store& store) {
  return store->check({kRoundKey}) ? Round(store, store->get_to_str(kRoundKey)).store() : store;
}

}  // namespace transformer
