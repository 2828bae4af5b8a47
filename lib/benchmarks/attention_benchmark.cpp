#include "benchmarks/attention_benchmark.h"

#include <fmt/core.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/json.h"
#include "benchmarks/benchmark_setup.h"
#include "model/encoder.h"
#include "ops/precision.h"
#include "platform/memory_meter.h"
#include "reporting/text_table.h"
#include "training/set_up_process.h"

namespace transformer {
namespace {

torch::Tensor forward(SelfAttention& attention, const torch::Tensor& x, const AttentionMask& mask,
                      Precision precision) {
  const PrecisionScope scope(precision);
  return attention(PackedSequence{x, Packing({x.size(0)}, x.device())}, mask).data;
}

AttentionBenchmark::Measurement measure_length(SelfAttention& attention, const Config& config, int64_t length,
                                               int64_t repetitions, torch::Device device) {
  torch::manual_seed(1);
  const auto x = torch::randn({length, config.model.d_model}, device).requires_grad_();
  AttentionMask mask;
  mask.reach = config.model.reach();
  std::vector<double> seconds;
  int64_t peak_bytes = 0;
  for (int64_t i = 0; i <= repetitions; ++i) {
    const MemoryMeter meter;
    const auto start = Clock::now();
    forward(attention, x, mask, config.training.precision).sum().backward();
    const double gradient = x.grad()[0][0].item<double>();  // waits for the device
    TORCH_CHECK(std::isfinite(gradient), "gradient ", gradient);
    if (i > 0) {  // the first run is for warm-up; it may allocate the parameters' gradients
      seconds.push_back(seconds_since(start));
      peak_bytes = std::max(peak_bytes, meter.peak_bytes());
    }
    x.mutable_grad() = torch::Tensor();
  }
  return {length, median(seconds), peak_bytes};
}

}  // namespace

AttentionBenchmark measure_attention(const Config& config, const std::vector<int64_t>& lengths, int64_t repetitions,
                                     torch::Device device) {
  set_up_process(config.training);
  SelfAttention attention(config.model);
  for (auto& matrix : attention->parameters()) torch::nn::init::xavier_uniform_(matrix);
  attention->to(device);
  AttentionBenchmark benchmark{
      describe_machine(device), config.model, precision_on(device.is_cuda(), config.training.precision), {}};
  for (const int64_t length : lengths) {
    benchmark.measurements.push_back(measure_length(attention, config, length, repetitions, device));
  }
  return benchmark;
}

std::string format_text(const AttentionBenchmark& benchmark) {
  using Measurement = AttentionBenchmark::Measurement;
  const ModelConfig& model = benchmark.model;
  const std::string text = fmt::format("self-attention, forward and backward: d_model {}, h {}, {}; {}; {}",
                                       model.d_model, model.h, model.r ? fmt::format("r {}", *model.r) : "unrestricted",
                                       name_of(benchmark.precision), benchmark.machine);
  const auto column = [&](const std::string& heading, int digits, const auto& number_of) {
    return table_column(heading, benchmark.measurements,
                        [&](const Measurement& m) { return fixed_cell(number_of(m), digits); });
  };
  const auto per_position = [](double value, const Measurement& m) { return value / static_cast<double>(m.length); };
  const auto bytes = [](const Measurement& m) { return static_cast<double>(m.peak_bytes); };
  const std::vector<TableGroup> groups = {
      {"",
       {column("n", 0, [](const Measurement& m) { return m.length; }),
        column("milliseconds", 1, [](const Measurement& m) { return m.seconds * 1e3; }),
        column("peak MB", 1, [&](const Measurement& m) { return bytes(m) / 1e6; })}},
      {"per position",
       {column("microseconds", 2, [&](const Measurement& m) { return per_position(m.seconds * 1e6, m); }),
        column("bytes", 0, [&](const Measurement& m) { return per_position(bytes(m), m); })}}};
  return text + "\n" + text_table(groups);
}

std::string format_json(const AttentionBenchmark& benchmark) {
  Json list = Json::array();
  for (const auto& m : benchmark.measurements) {
    list.push_back({{"length", m.length}, {"seconds", m.seconds}, {"peak_memory_bytes", m.peak_bytes}});
  }
  return json_text({{"machine", benchmark.machine}, {"attention", list}});
}

}  // namespace transformer
