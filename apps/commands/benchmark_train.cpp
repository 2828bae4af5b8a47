#include <memory>
#include <optional>

#include "benchmarks/training_benchmark.h"
#include "commands/commands.h"
#include "options.h"

namespace transformer {
namespace {

struct TrainBenchmarkOptions {
  ConfigSource config;
  int64_t steps = 10;
  std::optional<Precision> precision;
  bool json = false;
  DeviceOptions device;
};

void run_benchmark_train(const TrainBenchmarkOptions& options) {
  Config config = options.config.load();
  config.training.precision = options.precision.value_or(config.training.precision);
  print(measure_training(config, options.steps, options.device.apply()), options.json);
}

}  // namespace

void add_benchmark_train(CLI::App& benchmark) {
  auto options = std::make_shared<TrainBenchmarkOptions>();
  CLI::App* command = benchmark.add_subcommand(
      "train", "Measure training steps on synthetic sentence pairs whose lengths are distributed as in WMT14");
  add_config_options(*command, options->config)->required();
  command->add_option("--steps", options->steps, "Number of timed steps, after 2 steps for warm-up (20 on a GPU)")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  accept_names<Precision>(
      command->add_option("--precision", options->precision, "Override the config's training.precision"));
  add_json_flag(*command, options->json);
  add_device_options(*command, options->device);
  command->footer(
      "Example:\n  transformer benchmark train --config configs/base.yaml --set training.batch_tokens=4096");
  command->callback([options] { run_benchmark_train(*options); });
}

}  // namespace transformer
