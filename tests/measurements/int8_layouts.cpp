#include "int8_layouts.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace transformer {

TEST_CASE("time of int8 layouts") {
  const c10::InferenceMode inference;
  const auto [out, in] = GENERATE(table<int64_t, int64_t>({{512, 512}, {2048, 512}, {512, 2048}, {37000, 512}}));
  const int64_t rows = GENERATE(1, 4, 16, 64, 128);
  const auto x = torch::randn({rows, in});
  const auto repetitions = std::max<int64_t>(1, 100'000'000 / (rows * out * in));
  std::map<std::string, std::vector<double>> microseconds;
  const auto layouts = int8_layouts(torch::randn({out, in}), {});
  for (int round = 0; round < 9; ++round) {
    for (const auto& [name, layout] : layouts) {
      layout->multiply(x);
      const auto start = std::chrono::steady_clock::now();
      for (int64_t i = 0; i < repetitions; ++i) layout->multiply(x);
      const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
      microseconds[name].push_back(time.count() / static_cast<double>(repetitions));
    }
  }
  for (auto& [name, times] : microseconds) {
    std::sort(times.begin(), times.end());
    fmt::print("{:>5} x {:<4} {:>3} rows  {:<6} {:>9.1f} us\n", out, in, rows, name, times[times.size() / 2]);
  }
}

}  // namespace transformer
