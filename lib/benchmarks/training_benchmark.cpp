#include "benchmarks/training_benchmark.h"

#include <ATen/ceil_div.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/temporary_directory.h"
#include "benchmarks/benchmark_setup.h"
#include "data/pair_length.h"
#include "data/synthetic_corpus.h"
#include "model/init.h"
#include "model/model_cost.h"
#include "ops/linear.h"
#include "ops/linear_cross_entropy.h"
#include "platform/device.h"
#include "training/device_tokens.h"
#include "training/set_up_process.h"
#include "training/trainer.h"

namespace transformer {
namespace {

void synchronize(torch::Device device) { torch::zeros({1}, device).item<float>(); }

/// A synthetic corpus in a file that is deleted already.
std::unique_ptr<Corpus> make_corpus(const Config& config) {
  const TemporaryDirectory directory;
  const std::string path = directory / "corpus.bin";
  write_synthetic_corpus(path, {.pairs = 20000,
                                .vocabulary_size = config.data.vocabulary_size,
                                .max_length = config.data.max_length,
                                .seed = static_cast<uint64_t>(config.training.seed)});
  return std::make_unique<Corpus>(path);
}

/// The seconds that a linear layer's three products of training take for this many positions: y = W x, the gradient of
/// x and the gradient of W.
double product_seconds(int64_t positions, const LinearLayer& layer, torch::TensorOptions options) {
  static constexpr int kRepetitions = 3;
  const int repetitions_between_waits = options.device().is_cpu() ? 1 : 100;  // waiting for a GPU takes longer
  const auto x = torch::rand({positions, layer.inputs}, options);
  const auto weight = torch::rand({layer.outputs, layer.inputs}, options);
  const auto gradient = torch::rand({positions, layer.outputs}, options);
  const auto sums = use_bf16_product(x) ? options.dtype(torch::kFloat) : options;  // of the results
  const auto y = torch::empty(gradient.sizes(), sums), x_gradient = torch::empty(x.sizes(), sums),
             weight_gradient = torch::empty(weight.sizes(), sums);
  std::vector<double> seconds;
  for (int i = 0; i <= kRepetitions; ++i) {
    const auto start = Clock::now();
    for (int j = 0; j < repetitions_between_waits; ++j) {
      add_product(y, x, weight.t(), /*add=*/false);
      add_product(x_gradient, gradient, weight, /*add=*/false);
      add_product(weight_gradient, gradient.t(), x, /*add=*/false);
    }
    synchronize(options.device());
    if (i > 0) seconds.push_back(seconds_since(start) / repetitions_between_waits);  // the first is for warm-up
  }
  return median(seconds);
}

/// The layers with those of equal inputs and outputs joined into one, whose `count` is the sum of theirs.
std::vector<LinearLayer> distinct_shapes(const std::vector<LinearLayer>& layers) {
  std::vector<LinearLayer> shapes;
  for (const LinearLayer& layer : layers) {
    const auto same = std::find_if(shapes.begin(), shapes.end(), [&](const LinearLayer& shape) {
      return shape.inputs == layer.inputs && shape.outputs == layer.outputs;
    });
    if (same == shapes.end()) {
      shapes.push_back(layer);
    } else {
      same->count += layer.count;
    }
  }
  return shapes;
}

/// The floating-point operations per second that the matrix products of a training step reach by themselves, for a
/// micro-batch of this many positions.
double product_rate(const Config& config, int64_t positions, torch::Device device) {
  // As many logits at once as in training.
  const int64_t logit_positions = std::min(positions, loss_block_rows(device.is_cuda(), config.data.vocabulary_size));
  const bool is_bf16 = precision_on(device.is_cuda(), config.training.precision) == Precision::bf16;
  const auto type = is_bf16 ? torch::kBFloat16 : torch::kFloat;
  const auto options = torch::TensorOptions(type).device(device);
  torch::NoGradGuard no_grad;
  double seconds = 0, flops = 0;
  const auto add = [&](int64_t rows, const LinearLayer& layer) {
    seconds += static_cast<double>(layer.count) * product_seconds(rows, layer, options);
    flops += 6.0 * static_cast<double>(layer.count * rows * layer.inputs * layer.outputs);
  };
  for (const LinearLayer& shape : distinct_shapes(linear_layers(config.model))) add(positions, shape);
  const int64_t num_logit_blocks = at::ceil_div(positions, logit_positions);
  add(logit_positions, {.name = "output projection",
                        .side = Side::target,
                        .inputs = config.model.d_model,
                        .outputs = config.data.vocabulary_size,
                        .count = num_logit_blocks});
  return flops / seconds;
}

double training_flops_of(const Corpus& corpus, const std::vector<int64_t>& pairs, const Config& config) {
  double flops = 0;
  for (const int64_t pair : pairs) {
    const SentencePair sentences = corpus[pair];
    flops += 3 * forward_flops(config.model, config.data.vocabulary_size, source_tokens(sentences),
                               target_tokens(sentences));
  }
  return flops;
}

/// A training that exists only to be measured: a model, an optimizer and a synthetic corpus.
class MeasuredTraining {
 public:
  MeasuredTraining(const Config& config, torch::Device device)
      : config_(config),
        device_(device),
        corpus_(make_corpus(config)),
        replica_(new_model(config.model, config.data.vocabulary_size, config.training.seed, device), config_.training,
                 group_, choose_workers(config.model, config.data.vocabulary_size, config.training, device, group_)),
        trainer_(replica_, {*corpus_, config.training.batch_tokens, static_cast<uint64_t>(config.training.seed)},
                 *corpus_, config_.training,
                 device_use(device, choose_device_tokens(replica_.model, *corpus_, config.training, group_,
                                                         memory_for_rank(device, group_), replica_.workers.size())),
                 state_) {}

  /// Takes steps as training does, and keeps the loss in `benchmark`.
  std::vector<TrainingBenchmark::Step> take_steps(int64_t count, TrainingBenchmark& benchmark) {
    std::vector<TrainingBenchmark::Step> steps;
    for (int64_t i = 0; i < count; ++i) {
      trainer_.launch_step();
      complete_steps(trainer_.steps_ahead(), steps, benchmark);
    }
    complete_steps(/*max_running=*/0, steps, benchmark);
    return steps;
  }

  /// Measures on which work steps spend their time, from the launch of another step on, so that a GPU is busy when the
  /// measurement begins.
  WorkSeconds measure_work(TrainingBenchmark& benchmark) {
    trainer_.launch_step();
    WorkMeter meter(device_);
    take_steps(device_.is_cpu() ? 1 : 4, benchmark);
    return meter.seconds();
  }

  int64_t device_tokens() const { return trainer_.device_tokens(); }

 private:
  void complete_steps(int64_t max_running, std::vector<TrainingBenchmark::Step>& steps, TrainingBenchmark& benchmark) {
    while (trainer_.num_running() > max_running) {
      const CompletedStep completed = trainer_.complete_step();
      steps.push_back({completed.seconds, static_cast<double>(completed.result.target_tokens),
                       training_flops_of(*corpus_, completed.pairs, config_)});
      benchmark.last_loss = completed.result.loss_per_token();
      if (benchmark.first_loss == 0) benchmark.first_loss = benchmark.last_loss;
    }
  }

  Config config_;
  torch::Device device_;
  std::unique_ptr<Corpus> corpus_;
  const ProcessGroup group_{Membership()};
  Replica replica_;
  TrainingState state_;
  Trainer trainer_;
};

/// The share of each kind of work in the step's time.
std::vector<std::pair<const char*, double>> work_shares(const TrainingBenchmark& benchmark) {
  double sum = 0;
  for (const double seconds : benchmark.work_seconds) sum += seconds;
  std::vector<std::pair<const char*, double>> shares;
  for (size_t i = 0; i < benchmark.work_seconds.size() && sum > 0; ++i) {
    shares.emplace_back(name_of(static_cast<Work>(i)), benchmark.work_seconds[i] / sum);
  }
  return shares;
}

/// `amount` per second: the median over the steps or, where steps overlap, the total divided by the total time.
double rate(const TrainingBenchmark& benchmark, double TrainingBenchmark::Step::*amount) {
  std::vector<double> rates;
  double amounts = 0, seconds = 0;
  for (const auto& step : benchmark.steps) {
    rates.push_back(step.*amount / step.seconds);
    amounts += step.*amount;
    seconds += step.seconds;
  }
  return benchmark.steps_overlap ? amounts / seconds : median(rates);
}

}  // namespace

double TrainingBenchmark::step_seconds() const {
  std::vector<double> seconds;
  for (const Step& step : steps) seconds.push_back(step.seconds);
  if (!steps_overlap) return median(seconds);
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(steps.size());
}

double TrainingBenchmark::tokens_per_second() const { return rate(*this, &Step::tokens); }

double TrainingBenchmark::flops_per_second() const { return rate(*this, &Step::flops); }

TrainingBenchmark measure_training(const Config& config, int64_t steps, torch::Device device) {
  set_up_process(config.training);
  MeasuredTraining training(config, device);
  TrainingBenchmark benchmark;
  benchmark.setup = benchmark_setup(config.model, config.data.vocabulary_size,
                                    name_of(precision_on(device.is_cuda(), config.training.precision)), device);
  // The first steps on a GPU also load its kernels and enlarge the allocator's pool of memory.
  const int64_t warm_up_steps = device.is_cpu() ? 2 : 20;
  training.take_steps(warm_up_steps, benchmark);
  benchmark.steps_overlap = !device.is_cpu();
  // Steps and products take turns, so that other load on the machine slows both down; not where steps overlap, since
  // each turn would begin with a GPU that has nothing to do.
  const int64_t rounds = benchmark.steps_overlap ? 1 : 3;
  std::vector<double> product_rates;
  for (int64_t round = 0; round < rounds; ++round) {
    const int64_t count = steps * (round + 1) / rounds - steps * round / rounds;
    for (const auto& step : training.take_steps(count, benchmark)) benchmark.steps.push_back(step);
    if (round == 0) benchmark.peak_bytes = peak_memory(device);
    const int64_t positions = std::min(training.device_tokens(), config.training.batch_tokens);
    product_rates.push_back(product_rate(config, positions, device));
  }
  benchmark.product_flops_per_second = median(product_rates);
  benchmark.work_seconds = training.measure_work(benchmark);
  return benchmark;
}

std::string format_text(const TrainingBenchmark& benchmark) {
  std::string text = fmt::format(
      "{}\n{} target tokens/s, {:.3f} s a step ({} of {})\n"
      "{:.0f} GFLOP/s for the model, {:.1f} % of the {:.0f} GFLOP/s of its matrix products alone\n"
      "peak memory {}; loss {:.4f} to {:.4f}",
      benchmark.setup, with_thousands(std::llround(benchmark.tokens_per_second())), benchmark.step_seconds(),
      benchmark.steps_overlap ? "means" : "medians", counted(std::ssize(benchmark.steps), "step"),
      benchmark.flops_per_second() / 1e9, 100 * benchmark.utilization(), benchmark.product_flops_per_second / 1e9,
      human_bytes(benchmark.peak_bytes), benchmark.first_loss, benchmark.last_loss);
  for (const auto& [name, share] : work_shares(benchmark)) {
    text += fmt::format("\n  {:.1f} % {}", 100 * share, name);
  }
  return text;
}

std::string format_json(const TrainingBenchmark& benchmark) {
  Json work = Json::object();
  for (const auto& [name, share] : work_shares(benchmark)) work[name] = share;
  return json_text({{"setup", benchmark.setup},
                    {"target_tokens_per_second", benchmark.tokens_per_second()},
                    {"step_seconds", benchmark.step_seconds()},
                    {"model_flops_per_second", benchmark.flops_per_second()},
                    {"matrix_product_flops_per_second", benchmark.product_flops_per_second},
                    {"model_flops_utilization", benchmark.utilization()},
                    {"peak_memory_bytes", benchmark.peak_bytes},
                    {"loss", benchmark.last_loss},
                    {"work", work}});
}

}  // namespace transformer
