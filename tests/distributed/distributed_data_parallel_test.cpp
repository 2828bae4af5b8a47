#include "distributed/distributed_data_parallel.h"

#include <torch/nn/modules/linear.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/clock.h"
#include "catch.h"
#include "distributed/heartbeat.h"
#include "distributed/rendezvous.h"

namespace transformer {
namespace {

/// Takes three steps as one of two ranks, and begins each step `attempts` times. Returns the rank's connection.
std::unique_ptr<ProcessGroup> take_steps(int rank, int port, int attempts) {
  auto group = std::make_unique<ProcessGroup>(Membership{.rank = rank,
                                                         .world_size = 2,
                                                         .local_rank = rank,
                                                         .local_world_size = 2,
                                                         .port = port,
                                                         .launcher_has_store = true});
  group->connect(torch::kCPU);
  torch::nn::Linear linear(2, 2);
  DistributedDataParallel parallel(*linear, *group);
  for (int64_t step = 1; step <= 3; ++step) {
    for (int attempt = 0; attempt < attempts; ++attempt) parallel.begin_step(step);
    parallel.backward(linear(torch::ones({1, 2})).sum(), /*sum_gradients=*/true);
  }
  return group;
}

/// The number of collectives that the rank has begun, from a heartbeat that it composes after this call. It may already
/// have composed the next heartbeat, so the function waits for the one after it.
int64_t num_collectives(const Store& store, int rank) {
  const auto heartbeat = [&] { return store->get_to_str(heartbeat_key(rank)); };
  const auto number = [&] { return std::stoll(heartbeat()); };  // with which each heartbeat begins
  const int64_t second = number() + 2;
  const auto limit = Clock::now() + std::chrono::seconds(10);
  while (number() < second) {
    if (Clock::now() > limit) throw std::runtime_error("no heartbeat");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::string text = heartbeat();
  return std::stoll(text.substr(text.rfind(' ')));
}

}  // namespace

TEST_CASE("a rank that repeats its steps begins as many collectives as the other ranks") {
  int port = 0;
  const Store store = open_launcher_store(port, std::chrono::seconds(120));
  auto steps = std::async(std::launch::async, [&] { return take_steps(1, port, /*attempts=*/3); });
  const auto first = take_steps(0, port, /*attempts=*/1);
  const auto second = steps.get();
  const Store ranks = store_of_latest_round(store);
  const int64_t collectives = num_collectives(ranks, 0);
  CHECK(collectives > 0);
  CHECK(num_collectives(ranks, 1) == collectives);
  auto end = std::async(std::launch::async, [&] { second->disconnect(); });  // which begins another collective
  first->disconnect();
  end.get();
}

}  // namespace transformer
