#pragma once

#include <string>

namespace transformer {

/// The two ends of a connection of this process.
struct ConnectionEnds {
  std::string remote_address;
  int remote_port = 0, local_port = 0;
};

/// Whether the other side has closed the connection, so that nobody reads what is written to it.
bool other_side_has_closed(const ConnectionEnds& ends);

/// Ends all connections with this local port, in both directions.
void shut_down_connections(int local_port);

}  // namespace transformer
