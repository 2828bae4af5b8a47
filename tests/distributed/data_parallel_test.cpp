#include "distributed/data_parallel.h"

#include <torch/nn/modules/linear.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "catch.h"
#include "distributed/heartbeat.h"
#include "distributed/rendezvous.h"

namespace transformer {
namespace {

/// Takes three steps as one of two ranks, and begins each step `attempts` times.
void take_steps(int rank, int port, int attempts) {
  ProcessGroup group({.rank = rank,
                      .world_size = 2,
                      .local_rank = rank,
                      .local_world_size = 2,
                      .port = port,
                      .launcher_has_store = true});
  group.connect(torch::kCPU);
  torch::nn::Linear linear(2, 2);
  DataParallel parallel(*linear, group);
  for (int64_t step = 1; step <= 3; ++step) {
    for (int attempt = 0; attempt < attempts; ++attempt) parallel.begin_step(step);
    parallel.backward(linear(torch::ones({1, 2})).sum(), /*sum_gradients=*/true);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // for the next heartbeat
  group.disconnect();
}

/// The number of collectives in a rank's heartbeat, at its end.
std::string num_collectives(const Store& store, int rank) {
  const std::string heartbeat = store->get_to_str(heartbeat_key(rank));
  return heartbeat.substr(heartbeat.rfind(' '));
}

}  // namespace

TEST_CASE("a rank that repeats its steps begins as many collectives as the other ranks") {
  int port = 0;
  const Store store = open_launcher_store(port);
  auto other = std::async(std::launch::async, [&] { take_steps(1, port, /*attempts=*/3); });
  take_steps(0, port, /*attempts=*/1);
  other.get();
  CHECK(num_collectives(store, 0) == num_collectives(store, 1));
  CHECK(num_collectives(store, 0) != " 0");
}

}  // namespace transformer
