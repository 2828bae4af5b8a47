#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "base/clock.h"
#include "base/json.h"
#include "platform/malloc_policy.h"
#include "commands/benchmarks.h"
#include "platform/device.h"
#include "platform/memory_meter.h"
#include "model/encoder.h"
#include "ops/fused.h"
#include "ops/precision.h"
#include "options.h"

namespace transformer {
namespace {

struct AttentionOptions {
  ConfigOptions config;
  std::vector<int64_t> lengths = {1024, 2048, 4096, 8192, 16384};
  int64_t repetitions = 5;
  bool json = false;
  DeviceOptions device;
};

struct Measurement {
  int64_t length;
  double seconds;      // the median
  int64_t peak_bytes;  // of tensors, the parameters and the input not counted
};

torch::Tensor forward(MultiHeadAttention& attention, const torch::Tensor& x, const AttentionMask& mask,
                      Precision precision) {
  const PrecisionScope scope(precision);
  const Packing one({x.size(0)});
  return attention(x, one, x, one, mask);
}

/// One encoder self-attention, forward and backward, over a sequence of this length.
Measurement measure(MultiHeadAttention& attention, const Config& config, int64_t length,
                    const AttentionOptions& options, torch::Device device) {
  torch::manual_seed(1);
  const auto x = torch::randn({length, config.model.d_model}, device).requires_grad_();
  AttentionMask mask;
  if (config.model.r) mask.window = {.before = config.model.reach(), .after = config.model.reach()};
  std::vector<double> seconds;
  int64_t peak_bytes = 0;
  for (int64_t i = 0; i <= options.repetitions; ++i) {
    const MemoryMeter meter;
    const auto start = Clock::now();
    forward(attention, x, mask, config.training.precision).sum().backward();
    const double gradient = x.grad()[0][0].item<double>();  // waits for the device
    TORCH_CHECK(std::isfinite(gradient), "gradient ", gradient);
    if (i > 0) seconds.push_back(seconds_since(start));  // the first one warms up
    peak_bytes = std::max(peak_bytes, meter.peak_bytes());
    x.mutable_grad() = torch::Tensor();
  }
  return {length, median(seconds), peak_bytes};
}

void print_text(const std::vector<Measurement>& measurements, const Config& config) {
  const ModelConfig& model = config.model;
  std::cout << "self-attention, forward and backward: d_model " << model.d_model << ", h " << model.h << ", "
            << (model.r ? concat("r ", *model.r) : "unrestricted") << ", "
            << EnumNames<Precision>::names[static_cast<size_t>(config.training.precision)] << "\n"
            << "       n   milliseconds   peak MB   microseconds a position   bytes a position\n";
  for (const auto& m : measurements) {
    const auto n = static_cast<double>(m.length);
    std::printf("%8lld %14.1f %9.1f %25.2f %18.0f\n", static_cast<long long>(m.length), m.seconds * 1e3,
                static_cast<double>(m.peak_bytes) / 1e6, m.seconds * 1e6 / n, static_cast<double>(m.peak_bytes) / n);
  }
}

void print_json(const std::vector<Measurement>& measurements) {
  std::cout << "{\"attention\": [";
  const char* separator = "";
  for (const auto& m : measurements) {
    std::cout << separator << "{\"length\": " << m.length << ", \"seconds\": " << json_number(m.seconds)
              << ", \"peak_memory_bytes\": " << m.peak_bytes << "}";
    separator = ", ";
  }
  std::cout << "]}\n";
}

void run_attention(const AttentionOptions& options) {
  keep_freed_memory();
  const Config config = options.config.load();
  set_num_threads(options.device.threads);
  set_fused_kernels(config.training.fused_kernels);
  const torch::Device device = select_device(options.device.device);
  MultiHeadAttention attention(config.model, Attends::to_itself);
  for (auto& matrix : attention->parameters()) torch::nn::init::xavier_uniform_(matrix);
  attention->to(device);
  std::vector<Measurement> measurements;
  for (const int64_t length : options.lengths) {
    measurements.push_back(measure(attention, config, length, options, device));
  }
  options.json ? print_json(measurements) : print_text(measurements, config);
}

}  // namespace

void add_benchmark_attention(CLI::App& benchmark) {
  auto options = std::make_shared<AttentionOptions>();
  CLI::App* command = benchmark.add_subcommand(
      "attention", "One self-attention over long sequences, forward and backward, full or restricted (model.r)");
  add_config_options(*command, options->config)->required();
  command->add_option("--length", options->lengths, "Positions in the sequence; several are measured in turn")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command->add_option("--repetitions", options->repetitions, "Timed runs, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object");
  add_device_options(*command, options->device);
  command->footer(
      "Example:\n  transformer benchmark attention --config configs/base.yaml --set model.r=129 --length 1024 4096");
  command->callback([options] { run_attention(*options); });
}

}  // namespace transformer
