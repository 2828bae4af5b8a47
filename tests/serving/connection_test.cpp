#include "serving/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "catch.h"

namespace transformer {
namespace {

using std::chrono::milliseconds;

/// The port of a socket's own address.
int port_of(int socket) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  REQUIRE(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.sin_port);
}

/// A connection on the loopback device, both ends of which are in this process.
class Connection {
 public:
  Connection() : client_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listener, 1) == 0);
    address.sin_port = htons(static_cast<uint16_t>(port_of(listener)));
    REQUIRE(connect(client_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    server_ = accept(listener, nullptr, nullptr);
    REQUIRE(server_ >= 0);
    close(listener);
  }
  ~Connection() {
    close_client();
    close(server_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send_byte() const { REQUIRE(send(client_, "x", 1, 0) == 1); }
  void close_client() {
    if (client_ >= 0) close(client_);
    client_ = -1;
  }
  /// What the server's side reads: the number of bytes, 0 at the end, -1 if nothing has come.
  ssize_t receive() const {
    char byte = 0;
    return recv(server_, &byte, 1, MSG_DONTWAIT);
  }
  int server_port() const { return port_of(server_); }
  ConnectionEnds ends() const { return {"127.0.0.1", port_of(client_), server_port()}; }

 private:
  int client_, server_ = -1;
};

/// Ends the connection if it is idle for `least`.
void end_if_idle(const Connection& connection, milliseconds least, bool is_in_use = false) {
  end_idle_connections(connection.server_port(), least, /*most=*/1,
                       [&](const ConnectionEnds& ends) { return is_in_use && ends == connection.ends(); });
}

}  // namespace

TEST_CASE("the other side has closed a connection when it has, and not because the connection was ended as idle") {
  Connection connection;
  const ConnectionEnds ends = connection.ends();
  CHECK_FALSE(other_side_has_closed(ends));
  end_if_idle(connection, milliseconds(0));
  CHECK(connection.receive() == 0);
  CHECK_FALSE(other_side_has_closed(ends));
  connection.close_client();
  CHECK(other_side_has_closed(ends));
}

TEST_CASE("a connection that is in use, that has something to read or that was used lately is not ended") {
  const Connection connection;
  end_if_idle(connection, milliseconds(0), /*is_in_use=*/true);
  CHECK(connection.receive() == -1);
  end_if_idle(connection, milliseconds(3600000));
  CHECK(connection.receive() == -1);
  connection.send_byte();
  end_if_idle(connection, milliseconds(0));
  CHECK(connection.receive() == 1);
  CHECK(connection.receive() == -1);
}

}  // namespace transformer
