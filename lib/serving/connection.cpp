#include "serving/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/parse_number.h"

namespace transformer {
namespace {

struct Address {
  std::string host;
  int port = 0;
};

using GetName = int(int, sockaddr*, socklen_t*) noexcept;

/// The socket's own address or the other side's; none if it is no connection.
std::optional<Address> address_of(int socket, GetName* get_name) {
  sockaddr_storage storage{};
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  socklen_t length = sizeof storage;
  if (get_name(socket, address, &length) != 0) return std::nullopt;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(address, length, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return std::nullopt;
  }
  return Address{host.data(), parse_number<int>(port.data()).value_or(0)};
}

/// Calls `visit` with each connection of this process until it returns true. The HTTP library tells a request's
/// addresses but not its socket, hence the search among the open files.
void find_connection(const std::function<bool(int socket, const Address& remote, const Address& local)>& visit) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const auto socket = parse_number<int>(entry.path().filename().string());
    if (!socket) continue;
    const auto remote = address_of(*socket, getpeername);
    const auto local = remote ? address_of(*socket, getsockname) : std::nullopt;
    if (local && visit(*socket, *remote, *local)) return;
  }
}

std::optional<tcp_info> info_of(int socket) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return std::nullopt;
  return info;
}

/// Since when no byte has come or gone.
std::chrono::milliseconds idle_time(int socket) {
  const auto info = info_of(socket);
  return std::chrono::milliseconds(info ? std::min(info->tcpi_last_data_recv, info->tcpi_last_data_sent) : 0);
}

/// Whether neither side has closed the connection. That this one reads no more does not count.
bool is_established(int socket) {
  const auto info = info_of(socket);
  return info && info->tcpi_state == TCP_ESTABLISHED;
}

/// Whether the other side has sent what nobody has read, or has closed the connection.
bool is_readable(int socket) {
  char byte = 0;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

}  // namespace

bool other_side_has_closed(const ConnectionEnds& ends) {
  bool has_closed = false;
  find_connection([&](int socket, const Address& remote, const Address& local) {
    if (remote.port != ends.remote_port || local.port != ends.local_port || remote.host != ends.remote_address) {
      return false;
    }
    char byte = 0;
    const ssize_t received = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    has_closed = (received == 0 && !is_established(socket)) ||  // otherwise end_idle_connections has ended it
                 (received < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    return true;
  });
  return has_closed;
}

void end_idle_connections(int local_port, std::chrono::milliseconds least, int64_t most,
                          const std::function<bool(const ConnectionEnds&)>& is_in_use) {
  std::vector<std::pair<std::chrono::milliseconds, int>> idle;  // with the sockets
  find_connection([&](int socket, const Address& remote, const Address& local) {
    if (local.port != local_port || is_in_use({remote.host, remote.port, local.port})) return false;
    const auto time = idle_time(socket);
    if (time >= least && !is_readable(socket)) idle.emplace_back(time, socket);
    return false;
  });
  std::sort(idle.rbegin(), idle.rend());
  if (std::ssize(idle) > most) idle.resize(static_cast<size_t>(most));
  for (const auto& [time, socket] : idle) {
    // During the search, something may have arrived, or another connection got the socket.
    if (idle_time(socket) >= least && !is_readable(socket)) shutdown(socket, SHUT_RD);
  }
}

void shut_down_connections(int local_port) {
  find_connection([&](int socket, const Address& /*remote*/, const Address& local) {
    if (local.port == local_port) shutdown(socket, SHUT_RDWR);
    return false;
  });
}

}  // namespace transformer
