#include <memory>

#include "benchmarks/attention_benchmark.h"
#include "commands/commands.h"
#include "options.h"

namespace transformer {
namespace {

struct AttentionBenchmarkOptions {
  ConfigSource config;
  std::vector<int64_t> lengths = {1024, 2048, 4096, 8192, 16384};
  int64_t repetitions = 5;
  bool json = false;
  DeviceOptions device;
};

void run_benchmark_attention(const AttentionBenchmarkOptions& options) {
  const Config config = options.config.load();
  print(measure_attention(config, options.lengths, options.repetitions, options.device.apply()), options.json);
}

}  // namespace

void add_benchmark_attention(CLI::App& benchmark) {
  auto options = std::make_shared<AttentionBenchmarkOptions>();
  CLI::App* command = benchmark.add_subcommand(
      "attention", "Measure one self-attention, full or restricted (model.r), over long sequences");
  add_config_options(*command, options->config)->required();
  command->add_option("--length", options->lengths, "Number of positions in the sequence; several are measured in turn")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command->add_option("--repetitions", options->repetitions, "Number of timed runs; the result is their median")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_json_flag(*command, options->json);
  add_device_options(*command, options->device);
  command->footer(
      "Example:\n  transformer benchmark attention --config configs/base.yaml --set model.r=129 --length 1024 4096");
  command->callback([options] { run_benchmark_attention(*options); });
}

}  // namespace transformer
