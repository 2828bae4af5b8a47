#include "platform/device.h"

#include <thread>
#include <vector>

#include "base/error.h"
#include "catch.h"
#include "platform/cuda_loader.h"
#include "platform/malloc_policy.h"

namespace transformer {

TEST_CASE("device names: cpu is always there, others are checked") {
  CHECK(select_device("cpu").is_cpu());
  CHECK(select_device("auto").is_cpu() == (cuda_library() == nullptr));
  for (const char* name : {"tpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999", ""}) {
    INFO(name);
    CHECK_THROWS_AS(select_device(name), UsageError);
  }
  CHECK_THROWS_WITH(select_device("cuda:0", 0, 2), Catch::Contains("names one device, and 2 are needed"));
  CHECK_THROWS_WITH(select_device("cuda:4711"), Catch::Contains("'device' cuda:4711: "));
}

TEST_CASE("there is either a CUDA library or a reason why not") {
  CHECK((cuda_library() == nullptr) == !why_no_cuda().empty());
}

TEST_CASE("the CPU has memory, and a number of threads that can be set") {
  CHECK(device_memory(torch::kCPU) > int64_t{1} << 20);
  const int before = set_num_threads(0);
  CHECK(before > 0);
  CHECK(set_num_threads(1) == 1);
  CHECK(set_num_threads(before) == before);
}

TEST_CASE("the default number of threads is not what another thread has set meanwhile") {
  const int by_default = set_num_threads(0);
  std::thread([] { set_num_threads(5); }).join();
  int in_new_thread = 0;
  std::thread([&] { in_new_thread = set_num_threads(0); }).join();
  CHECK(in_new_thread == by_default);
}

TEST_CASE("the peak of the process's memory covers what is in use and never falls") {
  static constexpr int64_t kBytes = int64_t{64} << 20;
  const int64_t before = peak_memory(torch::kCPU);
  {
    const std::vector<char> block(static_cast<size_t>(before + kBytes), 1);
    CHECK(peak_memory(torch::kCPU) >= before + kBytes);
  }
  return_freed_memory();
  CHECK(peak_memory(torch::kCPU) >= before);
}

}  // namespace transformer
