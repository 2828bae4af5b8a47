#include "distributed/rendezvous.h"

#include <c10/util/Logging.h>

#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/clock.h"
#include "base/error.h"

namespace transformer {
namespace {

constexpr std::chrono::milliseconds kCheckInterval(100);

/// A part of the store for this attempt: torchrun may keep the store when it restarts the ranks.
Store for_attempt(const Store& store, int attempt) {
  return c10::make_intrusive<c10d::PrefixStore>(concat("transformer/", attempt), store);
}

std::string address_of(const Membership& m) { return concat(m.address, ":", m.port); }

/// "3, 4 and 5".
std::string enumerate(const std::vector<int>& numbers) {
  static constexpr size_t kMaxShown = 8;
  std::string text;
  for (size_t i = 0; i < numbers.size() && i < kMaxShown; ++i) {
    text += concat(i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  }
  return numbers.size() > kMaxShown ? concat(text, " and ", numbers.size() - kMaxShown, " more") : text;
}

std::string arrival_key(int rank) { return concat("arrived/", rank); }

std::vector<std::string> arrival_keys(const Membership& m) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < m.size; ++rank) keys.push_back(arrival_key(rank));
  return keys;
}

/// The ranks that have not joined yet.
std::vector<int> missing_ranks(const Membership& m, c10d::Store& store) {
  std::vector<int> missing;
  for (int rank = 0; rank < m.size; ++rank) {
    if (!store.check({arrival_key(rank)})) missing.push_back(rank);
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
      throw Error("rank 0: port ", m.port, " of this machine is in use; set another MASTER_PORT for all ranks");
    }
    if (options.isServer) {
      throw Error("rank 0: cannot listen on ", address_of(m), ": ", what.substr(0, what.find('\n')));
    }
    throw Error("rank ", m.rank, " of ", m.size, " on ", host_name(), ": no answer from ", address_of(m), " within ",
                timeout.count(), " s; check MASTER_ADDR and MASTER_PORT, and that rank 0 was started there");
  }
}

void rendezvous(const Membership& m, c10d::Store& store, std::chrono::seconds timeout) {
  const auto size = std::to_string(m.size);
  const auto first_size = store.compareSet("size", "", size);  // of the rank that joined first
  if (first_size != size) {
    throw Error("expects ", size, " ranks, but another rank expects ", first_size,
                "; set the same WORLD_SIZE for all ranks, or start them with one launcher");
  }
  if (store.add(concat("count/", m.rank), 1) > 1) {
    throw Error("another process has also joined as rank ", m.rank,
                "; start each rank once, with a different RANK for each");
  }
  store.set(arrival_key(m.rank), "");
  const auto end = Clock::now() + timeout;
  while (!store.check(arrival_keys(m))) {
    if (Clock::now() > end) {
      const auto missing = missing_ranks(m, store);
      throw Error("rank", missing.size() == 1 ? " " : "s ", enumerate(missing), " of ", m.size, " did not join at ",
                  address_of(m), " within ", timeout.count(), " s; start all ranks, or increase --start-limit");
    }
    std::this_thread::sleep_for(kCheckInterval);
  }
}

}  // namespace transformer
