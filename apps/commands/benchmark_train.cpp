#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "platform/malloc_policy.h"
#include "commands/benchmarks.h"
#include "data/synthetic_corpus.h"
#include "data/tokenizer.h"
#include "platform/device.h"
#include "platform/memory_meter.h"
#include "platform/work_meter.h"
#include "model/flops.h"
#include "model/init.h"
#include "ops/fused.h"
#include "options.h"
#include "training/device_tokens.h"
#include "training/trainer.h"

namespace transformer {
namespace {

struct TrainBenchmarkOptions {
  ConfigOptions config;
  int64_t steps = 10;
  std::string precision;
  bool json = false;
  DeviceOptions device;
};

/// What one step took, and what it did in that time.
struct Step {
  double seconds, tokens, flops;
};

struct Result {
  std::vector<Step> steps;
  double product_flops_per_second = 0;
  std::array<double, kWorkNames.size()> work_seconds{};  // of one step
  int64_t peak_bytes = 0;
  double first_loss = 0, last_loss = 0;

  /// The median over the steps of what `figure` makes of each.
  template <class Figure>
  double median_of(Figure figure) const {
    std::vector<double> values;
    for (const Step& step : steps) values.push_back(figure(step));
    return median(values);
  }
  double step_seconds() const {
    return median_of([](const Step& step) { return step.seconds; });
  }
  double tokens_per_second() const {
    return median_of([](const Step& step) { return step.tokens / step.seconds; });
  }
  double flops_per_second() const {
    return median_of([](const Step& step) { return step.flops / step.seconds; });
  }
  double utilization() const { return flops_per_second() / product_flops_per_second; }
};

void wait_for(torch::Device device) { torch::zeros({1}, device).item<float>(); }

/// The corpus, in a file that no longer has a name.
std::unique_ptr<Corpus> make_corpus(const Config& config) {
  static constexpr int64_t kPairs = 20000;
  const std::string path =
      (std::filesystem::temp_directory_path() / concat("transformer-benchmark-", getpid(), ".bin")).string();
  write_synthetic_corpus(path, kPairs, config.data.vocabulary_size, static_cast<uint64_t>(config.training.seed));
  auto corpus = std::make_unique<Corpus>(path);
  std::filesystem::remove(path);
  return corpus;
}

/// Floating-point operations a second of the step's matrix products alone, forward and backward, with as many rows as a
/// slice has tokens.
double product_rate(const Config& config, int64_t rows, torch::Device device) {
  static constexpr int64_t kLogitRows = 1024;  // all at once would take more memory than the training
  const ModelConfig& m = config.model;
  const auto type = config.training.precision == Precision::bf16 ? torch::kBFloat16 : torch::kFloat;
  const auto options = torch::TensorOptions(type).device(device);
  const int64_t keys = m.h * m.key_size(), values = m.h * m.value_size();
  struct Product {
    int64_t rows, in, out, times;
  };
  const std::vector<Product> products = {
      {rows, m.d_model, keys, 6 * m.N},
      {rows, m.d_model, values, 3 * m.N},
      {rows, values, m.d_model, 3 * m.N},
      {rows, m.d_model, m.d_ff, 2 * m.N},
      {rows, m.d_ff, m.d_model, 2 * m.N},
      {kLogitRows, m.d_model, config.data.vocabulary_size, (rows + kLogitRows - 1) / kLogitRows}};
  torch::NoGradGuard no_grad;
  double seconds = 0, flops = 0;
  for (const Product& product : products) {
    const auto x = torch::rand({product.rows, product.in}, options);
    const auto weight = torch::rand({product.out, product.in}, options);
    const auto gradient = torch::rand({product.rows, product.out}, options);
    auto y = torch::empty_like(gradient), x_gradient = torch::empty_like(x),
         weight_gradient = torch::empty_like(weight);
    const auto multiply = [&] {
      torch::mm_out(y, x, weight.t());
      torch::mm_out(x_gradient, gradient, weight);
      torch::mm_out(weight_gradient, gradient.t(), x);
      wait_for(device);
    };
    multiply();
    static constexpr int kRepetitions = 3;
    std::vector<double> times;
    for (int i = 0; i < kRepetitions; ++i) {
      const auto start = Clock::now();
      multiply();
      times.push_back(seconds_since(start));
    }
    seconds += static_cast<double>(product.times) * median(times);
    flops += static_cast<double>(product.times) * 6.0 * static_cast<double>(product.rows * product.in * product.out);
  }
  return flops / seconds;
}

double training_flops_of(const Corpus& corpus, const std::vector<int64_t>& pairs, const Config& config) {
  double flops = 0;
  for (const int64_t pair : pairs) {
    const SentencePair sentences = corpus[pair];
    flops += 3 * forward_flops(config.model, config.data.vocabulary_size, std::ssize(sentences.source) + 1,
                               std::ssize(sentences.target) + 1);
  }
  return flops;
}

/// Steps of training, and between them the products alone, so that what disturbs the machine disturbs both.
Result measure(const Config& config, int64_t steps, torch::Device device) {
  const TrainingConfig& training = config.training;
  const auto corpus = make_corpus(config);
  Transformer model(config.model, config.data.vocabulary_size);
  initialize(model, training.seed);
  model->to(device);
  model->train();
  const ProcessGroup group{Membership()};
  Adam optimizer(*model, {training.beta1, training.beta2, training.epsilon});
  DataParallel parallel(*model, group);
  const int64_t device_tokens = choose_device_tokens(model, *corpus, training, group, memory_for_rank(device, group));
  BatchSampler sampler(*corpus, training.batch_tokens, static_cast<uint64_t>(training.seed));

  Result result;
  int64_t step = 0;
  const auto take_step = [&] {
    const auto pairs = sampler.next();
    const StepWork work = make_work(*corpus, pairs, device_tokens, group);
    const auto start = Clock::now();
    const StepResult sums = train_step({model, optimizer, parallel}, *corpus, work, training, ++step);
    wait_for(device);
    const double loss = sums.loss / static_cast<double>(sums.target_tokens);
    if (step == 1) result.first_loss = loss;
    result.last_loss = loss;
    return Step{seconds_since(start), static_cast<double>(sums.target_tokens),
                training_flops_of(*corpus, pairs, config)};
  };
  const auto warm_up = [&] {
    static constexpr int kSteps = 2;
    const MemoryMeter meter;
    for (int i = 0; i < kSteps; ++i) take_step();
    if (!device.is_cpu()) result.peak_bytes = meter.peak_bytes();
  };

  warm_up();
  static constexpr int64_t kRounds = 3;
  std::vector<double> product_rates;
  for (int64_t round = 0; round < kRounds; ++round) {
    for (int64_t i = steps * round / kRounds; i < steps * (round + 1) / kRounds; ++i) {
      result.steps.push_back(take_step());
    }
    if (round == 0 && device.is_cpu()) result.peak_bytes = peak_process_bytes();
    product_rates.push_back(product_rate(config, std::min(device_tokens, training.batch_tokens), device));
  }
  result.product_flops_per_second = median(product_rates);
  if (device.is_cpu()) {
    const WorkMeter meter;
    take_step();
    for (size_t i = 0; i < kWorkNames.size(); ++i) result.work_seconds[i] = meter.seconds(static_cast<Work>(i));
  }
  return result;
}

std::vector<std::pair<const char*, double>> shares_of(const Result& result) {
  double sum = 0;
  for (const double seconds : result.work_seconds) sum += seconds;
  std::vector<std::pair<const char*, double>> shares;
  for (size_t i = 0; i < kWorkNames.size() && sum > 0; ++i)
    shares.emplace_back(kWorkNames[i], result.work_seconds[i] / sum);
  return shares;
}

void print_text(const Result& result) {
  std::cout << with_thousands(std::llround(result.tokens_per_second())) << " target tokens/s, "
            << fixed(result.step_seconds(), 3) << " s a step (medians of " << result.steps.size() << " steps)\n"
            << fixed(result.flops_per_second() / 1e9, 0) << " GFLOP/s for the model, "
            << fixed(100 * result.utilization(), 1) << " % of the " << fixed(result.product_flops_per_second / 1e9, 0)
            << " of its matrix products alone\n"
            << "peak memory " << human_bytes(result.peak_bytes) << "; loss " << fixed(result.first_loss, 4) << " to "
            << fixed(result.last_loss, 4) << "\n";
  for (const auto& [name, share] : shares_of(result)) {
    std::cout << "  " << fixed(100 * share, 1) << " % " << name << "\n";
  }
}

void print_json(const Result& result) {
  std::cout << "{\"target_tokens_per_second\": " << json_number(result.tokens_per_second())
            << ", \"step_seconds\": " << json_number(result.step_seconds())
            << ", \"model_flops_per_second\": " << json_number(result.flops_per_second())
            << ", \"matrix_product_flops_per_second\": " << json_number(result.product_flops_per_second)
            << ", \"model_flops_utilization\": " << json_number(result.utilization())
            << ", \"peak_memory_bytes\": " << result.peak_bytes << ", \"loss\": " << json_number(result.last_loss)
            << ", \"work\": {";
  const char* separator = "";
  for (const auto& [name, share] : shares_of(result)) {
    std::cout << separator << json_string(name) << ": " << json_number(share);
    separator = ", ";
  }
  std::cout << "}}\n";
}

void run_benchmark_train(const TrainBenchmarkOptions& options) {
  keep_freed_memory();
  ConfigOptions config_options = options.config;
  if (!options.precision.empty()) config_options.overrides.push_back("training.precision=" + options.precision);
  const Config config = config_options.load();
  set_num_threads(options.device.threads);
  set_fused_kernels(config.training.fused_kernels);
  const Result result = measure(config, options.steps, select_device(options.device.device));
  options.json ? print_json(result) : print_text(result);
}

}  // namespace

void add_benchmark_train(CLI::App& benchmark) {
  auto options = std::make_shared<TrainBenchmarkOptions>();
  CLI::App* command = benchmark.add_subcommand(
      "train", "Steps of training on made-up sentence pairs with lengths as in WMT14; padding is never counted");
  add_config_options(*command, options->config)->required();
  command->add_option("--steps", options->steps, "Timed steps, after two that warm up")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--precision", options->precision, "In place of the config's training.precision")
      ->check(CLI::IsMember({"fp32", "bf16"}));
  command->add_flag("--json", options->json, "One JSON object");
  add_device_options(*command, options->device);
  command->footer(
      "Example:\n  transformer benchmark train --config configs/base.yaml --set training.batch_tokens=4096");
  command->callback([options] { run_benchmark_train(*options); });
}

}  // namespace transformer
