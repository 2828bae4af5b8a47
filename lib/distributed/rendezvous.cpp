#include "distributed/rendezvous.h"

#include <c10/util/Logging.h>
#include <fmt/core.h>

#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/host_name.h"

namespace transformer {
namespace {

constexpr std::chrono::milliseconds kCheckInterval(100);

/// A part of the store for this attempt: torchrun may keep the store when it restarts the ranks.
Store for_attempt(const Store& store, int attempt) {
  return c10::make_intrusive<c10d::PrefixStore>(fmt::format("transformer/{}", attempt), store);
}

std::string address_of(const Membership& m) { return fmt::format("{}:{}", m.address, m.port); }

std::string arrival_key(int rank) { return fmt::format("arrived/{}", rank); }

std::vector<std::string> arrival_keys(const Membership& m) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < m.world_size; ++rank) keys.push_back(arrival_key(rank));
  return keys;
}

/// The ranks that have not joined yet.
std::vector<std::string> missing_ranks(const Membership& m, c10d::Store& store) {
  std::vector<std::string> missing;
  for (int rank = 0; rank < m.world_size; ++rank) {
    if (!store.check({arrival_key(rank)})) missing.push_back(std::to_string(rank));
  }
  return missing;
}

}  // namespace

Store open_launcher_store(int& port) {
  c10d::TCPStoreOptions options;
  options.port = 0;  // any free port
  options.isServer = true;
  options.waitWorkers = false;
  const auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  port = store->getPort();
  return for_attempt(store, 0);
}

Store open_store(const Membership& m, std::chrono::seconds timeout) {
  FLAGS_caffe2_log_level = 3;  // failures are reported by our own messages, without c10d's warnings and stack traces
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(m.port);
  options.isServer = m.rank == 0 && !m.launcher_has_store;
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>(m.address, options);
    return for_attempt(store, m.attempt);
  } catch (const std::exception& failure) {
    const std::string what = failure.what();
    if (what.find("EADDRINUSE") != std::string::npos) {
      throw Error("rank 0: port {} of this machine is in use; set another MASTER_PORT for all ranks", m.port);
    }
    if (options.isServer) {
      throw Error("rank 0: cannot listen on {}: {}", address_of(m), first_line(failure.what()));
    }
    throw Error(
        "rank {} of {} on {}: no answer from {} within {} s; check MASTER_ADDR and MASTER_PORT, and that rank 0 was "
        "started there",
        m.rank, m.world_size, host_name(), address_of(m), timeout.count());
  }
}

void rendezvous(const Membership& m, c10d::Store& store, std::chrono::seconds timeout) {
  const auto size = std::to_string(m.world_size);
  const auto first_size = store.compareSet("size", "", size);  // of the rank that joined first
  if (first_size != size) {
    throw Error(
        "expects {} ranks, but another rank expects {}; set the same WORLD_SIZE for all ranks, or start them with one "
        "launcher",
        size, first_size);
  }
  if (store.add(fmt::format("count/{}", m.rank), 1) > 1) {
    throw Error("another process has also joined as rank {}; start each rank once, with a different RANK for each",
                m.rank);
  }
  store.set(arrival_key(m.rank), "");
  const auto end = Clock::now() + timeout;
  while (!store.check(arrival_keys(m))) {
    if (Clock::now() > end) {
      static constexpr size_t kMaxShown = 8;
      const auto missing = missing_ranks(m, store);
      throw Error("rank{}{} of {} did not join at {} within {} s; start all ranks, or increase --start-timeout",
                  missing.size() == 1 ? " " : "s ", enumeration(missing, "and", kMaxShown), m.world_size, address_of(m),
                  timeout.count());
    }
    std::this_thread::sleep_for(kCheckInterval);
  }
}

}  // namespace transformer
