#include "distributed/rendezvous.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "catch.h"
#include "distributed/heartbeat.h"

namespace transformer {
namespace {

constexpr std::chrono::seconds kTimeout(20), kShortTimeout(2);

/// A launcher with a store, and the ranks that it starts.
class Launcher {
 public:
  Launcher() : store_(open_launcher_store(port_, std::chrono::seconds(120))) {}

  /// A thread that joins as this rank; its part of the store.
  std::future<Store> start(int rank, int world_size = 2, std::chrono::seconds timeout = kTimeout) const {
    const Membership membership{.rank = rank,
                                .world_size = world_size,
                                .local_rank = rank,
                                .local_world_size = world_size,
                                .port = port_,
                                .launcher_has_store = true};
    return std::async(std::launch::async,
                      [=] { return rendezvous(membership, open_store(membership, timeout), timeout); });
  }
  const Store& store() const { return store_; }

 private:
  int port_ = 0;
  Store store_;
};

/// Whether what one writes, the other reads.
bool share(const Store& one, const Store& other) {
  static int num_written = 0;
  const std::string key = std::to_string(++num_written);
  one->add(key, 1);  // returns once the store has it, unlike set
  return other->check({key});
}

/// A service at a free port that accepts connections and never answers, until the process exits.
class SilentService {
 public:
  SilentService() {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(listen(listener_, 8) == 0);
    REQUIRE(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }

 private:
  int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
};

}  // namespace

TEST_CASE("ranks that meet have a part of the store that is theirs alone, also after a restart") {
  const Launcher launcher;
  auto second = launcher.start(1), first = launcher.start(0);
  const Store part = first.get();
  CHECK(share(part, second.get()));
  CHECK(share(store_of_latest_round(launcher.store()), part));

  auto again_second = launcher.start(1);  // finds the complete round of the ranks before the restart
  CHECK(again_second.wait_for(std::chrono::milliseconds(500)) == std::future_status::timeout);
  const Store again = launcher.start(0).get();
  CHECK(share(again, again_second.get()));
  CHECK_FALSE(share(again, part));
}

TEST_CASE("a rank that has joined has a heartbeat, so that its end is noticed before its watchdog starts") {
  const Launcher launcher;
  auto second = launcher.start(1), first = launcher.start(0);
  const Store part = first.get();
  second.get();
  CHECK_THAT(describe_rank(*part, 0, 2), Catch::EndsWith(", during start-up: "));
  CHECK_THAT(describe_rank(*part, 1, 2), Catch::EndsWith(", during start-up: "));
}

TEST_CASE("ranks that do not come are named by rank 0 alone") {
  const Launcher launcher;
  auto second = launcher.start(1, 4, kShortTimeout);
  CHECK_THROWS_WITH(launcher.start(0, 4, kShortTimeout).get(),
                    Catch::StartsWith("rank 0 of 4 on ") &&
                        Catch::Contains(", during start-up: ranks 2 and 3 of 4 did not join at 127.0.0.1:"));
  CHECK_THROWS_AS(second.get(), ReportedFailure);
  CHECK_THROWS_WITH(Launcher().start(1, 2, kShortTimeout).get(), Catch::Contains("rank 0 of 2 did not join at"));

  auto again_second = launcher.start(1);  // finds the failed round of the ranks before the restart
  CHECK(again_second.wait_for(std::chrono::milliseconds(500)) == std::future_status::timeout);
  const Store again = launcher.start(0).get();
  CHECK(share(again, again_second.get()));
}

TEST_CASE("a rank does not wait for ever for a service that is not a store") {
  const SilentService service;
  const Membership membership{.rank = 1, .world_size = 2, .port = service.port(), .launcher_has_store = false};
  CHECK_THROWS_WITH(open_store(membership, std::chrono::seconds(1)),
                    Catch::Contains(fmt::format("no answer from 127.0.0.1:{} within 1 s; check ", service.port())));
}

TEST_CASE("a rank does not wait for ever for a store that no longer answers") {
  class SilentStore : public c10d::HashStore {
    bool check(const std::vector<std::string>&) override {
      for (;;) std::this_thread::sleep_for(kTimeout);
    }
  };
  const Membership membership{.rank = 1, .world_size = 2, .launcher_has_store = false};
  CHECK_THROWS_WITH(rendezvous(membership, c10::make_intrusive<SilentStore>(), std::chrono::seconds(1)),
                    Catch::Contains("the store at 127.0.0.1:0 no longer answers (waited for "));
}

TEST_CASE("without a launcher's store, a rank that cannot join is an error at once") {
  int port = 0;
  const Store store = open_launcher_store(port, std::chrono::seconds(120));
  const auto start = [&](int rank, int world_size) {
    const Membership membership{.rank = rank, .world_size = world_size, .port = port, .launcher_has_store = false};
    return std::async(std::launch::async, [=] { return rendezvous(membership, store, kTimeout); });
  };
  SECTION("of rank 0, while ranks are missing") {
    auto first = start(0, 3), second = start(1, 3), third = start(2, 4);
    CHECK_THROWS_WITH(first.get(), Catch::StartsWith("rank 2 of 4 on ") &&
                                       Catch::Contains(", during start-up: expects 4 ranks, but rank 0 expects 3; "));
    CHECK_THROWS_AS(second.get(), ReportedFailure);
    CHECK_THROWS_AS(third.get(), ReportedFailure);
  }
  SECTION("of that rank, once all have joined") {
    auto first = start(0, 2), second = start(1, 2);
    const Store part = first.get();
    second.get();
    CHECK_THROWS_WITH(start(1, 2).get(), Catch::StartsWith("rank 1 of 2 on ") &&
                                             Catch::Contains("another process has also joined as rank 1; start each "));
    CHECK_THROWS_WITH(start(1, 3).get(), Catch::Contains("expects 3 ranks, but rank 0 expects 2"));
    CHECK_THROWS_WITH(start(0, 2).get(), Catch::Contains("another process has also joined as rank 0"));
    CHECK(share(part, store_of_latest_round(store)));
  }
}

}  // namespace transformer
