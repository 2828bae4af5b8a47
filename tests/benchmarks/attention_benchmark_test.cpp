#include "benchmarks/attention_benchmark.h"

#include "base/json.h"
#include "catch.h"
#include "tiny_model.h"

namespace transformer {
namespace {

Config config_of_tiny_model() {
  Config config;
  config.model = tiny_config();
  return config;
}

}  // namespace

TEST_CASE("attention benchmark measures each length, full and restricted") {
  Config config = config_of_tiny_model();
  const AttentionBenchmark full = measure_attention(config, {8, 256, 8}, 1, torch::kCPU);
  REQUIRE(full.measurements.size() == 3);
  for (const auto& m : full.measurements) {
    CHECK(m.seconds > 0);
    CHECK(m.peak_bytes > m.length * 16 * 4);
  }
  CHECK(full.measurements[0].length == 8);
  CHECK(full.measurements[1].peak_bytes > full.measurements[0].peak_bytes);
  CHECK(full.measurements[2].peak_bytes == full.measurements[0].peak_bytes);  // without the parameters' gradients
  config.model.r = 9;
  const AttentionBenchmark restricted = measure_attention(config, {256}, 1, torch::kCPU);
  const auto bytes = [](const AttentionBenchmark& b) {
    return static_cast<double>(b.measurements[b.measurements.size() / 2].peak_bytes);
  };
  CHECK(bytes(restricted) ==
        Approx(bytes(full)).epsilon(0.02));  // the kernel stores nothing that depends on the window
  CHECK(restricted.model.r == 9);
}

TEST_CASE("attention benchmark has a row for each length as text, and its exact figures as JSON") {
  AttentionBenchmark benchmark{
      "1 thread of X", tiny_config(), Precision::bf16, {{1000, 0.5, 2000000}, {64, 0.001, 64000}}};
  benchmark.model.r = 9;
  CHECK(format_text(benchmark) ==
        "self-attention, forward and backward: d_model 16, h 4, r 9; bf16; 1 thread of X\n"
        "                             per position       \n"
        "n     milliseconds  peak MB  microseconds  bytes\n"
        "1000         500.0      2.0        500.00   2000\n"
        "64             1.0      0.1         15.62   1000");
  CHECK(format_json(benchmark) ==
        "{\"machine\":\"1 thread of X\",\"attention\":[{\"length\":1000,\"seconds\":0.5,\"peak_memory_bytes\":2000000},"
        "{\"length\":64,\"seconds\":0.001,\"peak_memory_bytes\":64000}]}");
}

}  // namespace transformer
