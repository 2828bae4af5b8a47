#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace transformer {

/// The two ends of a connection of this process.
struct ConnectionEnds {
  std::string remote_address;
  int remote_port = 0, local_port = 0;
  auto operator<=>(const ConnectionEnds&) const = default;
};

/// Whether the other side has closed the connection, so that nobody reads what is written to it.
bool other_side_has_closed(const ConnectionEnds& ends);

/// Ends connections with this local port that are idle: for `least` no byte has come or gone, none waits to be read,
/// and `is_in_use` is false. Of several, the `most` that have been idle for the longest time.
void end_idle_connections(int local_port, std::chrono::milliseconds least, int64_t most,
                          const std::function<bool(const ConnectionEnds&)>& is_in_use);

/// Ends all connections with this local port, in both directions.
void shut_down_connections(int local_port);

}  // namespace transformer
