#include "distributed/loopback.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace transformer {

void check_loopback() {
  const int datagrams = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (datagrams < 0) throw Error("cannot open a socket: {}", std::strerror(errno));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);  // any port: connecting a datagram socket only looks for a route
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool has_route = connect(datagrams, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const int cause = errno;
  close(datagrams);
  if (has_route) return;
  throw Error(
      "cannot connect to 127.0.0.1, where the ranks of this machine find each other: {}; bring up the loopback "
      "interface (`ip link set lo up`)",
      std::strerror(cause));
}

}  // namespace transformer
