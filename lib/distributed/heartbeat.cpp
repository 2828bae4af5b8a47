#include "distributed/heartbeat.h"

#include <fmt/core.h>

#include <optional>
#include <sstream>

namespace transformer {
namespace {

/// Waits until the rank has joined.
Heartbeat wait_for_heartbeat(c10d::Store& store, int rank) {
  Heartbeat heartbeat;
  std::istringstream in(store.get_to_str(heartbeat_key(rank)));
  (in >> heartbeat.count).ignore();
  std::getline(std::getline(in, heartbeat.host), heartbeat.activity);
  in >> heartbeat.in_collective >> heartbeat.num_collectives;
  return heartbeat;
}

/// std::nullopt if the rank has not joined yet.
std::optional<Heartbeat> read_heartbeat(c10d::Store& store, int rank) {
  if (!store.check({heartbeat_key(rank)})) return std::nullopt;
  return wait_for_heartbeat(store, rank);
}

}  // namespace

std::string heartbeat_key(int rank) { return fmt::format("heartbeat/{}", rank); }

void write_heartbeat(c10d::Store& store, int rank, const Heartbeat& heartbeat) {
  store.set(heartbeat_key(rank), fmt::format("{}\n{}\n{}\n{:d} {}", heartbeat.count, heartbeat.host, heartbeat.activity,
                                             heartbeat.in_collective, heartbeat.num_collectives));
}

std::string host_of_rank(c10d::Store& store, int rank) { return wait_for_heartbeat(store, rank).host; }

std::string describe_rank(c10d::Store& store, int rank, int size) {
  const auto heartbeat = read_heartbeat(store, rank);
  if (!heartbeat) return fmt::format("rank {} of {}: ", rank, size);
  return describe_rank(rank, size, heartbeat->host, heartbeat->activity);
}

std::string describe_rank(int rank, int size, const std::string& host, const std::string& activity) {
  return fmt::format("rank {} of {} on {}, during {}: ", rank, size, host, activity);
}

int blocking_rank(c10d::Store& store, int rank, int size) {
  const auto own = read_heartbeat(store, rank);
  if (!own || !own->in_collective) return rank;
  int last = rank;
  int64_t fewest = own->num_collectives;
  for (int other = 0; other < size; ++other) {
    const auto heartbeat = read_heartbeat(store, other);
    if (!heartbeat) return other;
    if (heartbeat->num_collectives >= fewest) continue;
    fewest = heartbeat->num_collectives;
    last = other;
  }
  return last;
}

}  // namespace transformer
