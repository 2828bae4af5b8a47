#include "benchmarks/translation_benchmark.h"

#include <fmt/core.h>

#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "benchmarks/benchmark_setup.h"
#include "inference/loaded_model.h"
#include "inference/translator.h"
#include "platform/device.h"
#include "platform/malloc_policy.h"

namespace transformer {
namespace {

/// The file's first `limit` lines; with a limit of 0 all of them.
std::vector<std::string> first_lines(const std::string& path, int64_t limit) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; (limit == 0 || std::ssize(lines) < limit) && reader.next(line);) lines.push_back(line);
  if (lines.empty()) throw Error("{}: is empty; give at least one line", shown_path(path));
  return lines;
}

/// Throws UsageError if the model has too few learned positions for outputs of this length.
void check_output_tokens(int64_t output_tokens, const ModelConfig& config) {
  if (output_tokens <= config.max_positions.value_or(output_tokens)) return;
  throw UsageError("--output-tokens {}: the model has {} positions (model.max_positions); give at most that many",
                   output_tokens, *config.max_positions);
}

}  // namespace

TranslationBenchmark measure_translation(const TranslationBenchmarkTask& task, torch::Device device) {
  const auto lines = first_lines(task.input, task.lines);
  const LoadedEnsemble ensemble = [&] {
    const LoadingMallocPolicy policy;
    return load_for_search({task.model}, {device}, task.weight_type);
  }();
  check_output_tokens(task.translator.output_tokens, ensemble.config.model);
  DecodingConfig config = ensemble.config.decoding;
  config.beam_size = task.beam_size;
  warn_of_wide_beam(config);
  if (task.translator.output_tokens > 0) config.trees = false;  // few trees have exactly that many tokens
  const Translator translator(ensemble.replicas, ensemble.tokenizers, config, task.translator);
  const auto requests = requests_of(lines);
  translator.translate({requests.front()});  // warm-up
  std::vector<double> seconds;
  int64_t tokens = 0;
  for (int64_t round = 0; round < task.rounds; ++round) {
    const auto start = Clock::now();
    const auto translated = translator.translate(requests);
    seconds.push_back(seconds_since(start));
    tokens = 0;
    for (const TranslatedLine& line : translated) tokens += std::ssize(line.best().tokens);
  }
  const double median_seconds = median(seconds);
  const std::string how = fmt::format("{}, beam size {}", name_of(task.weight_type), config.beam_size);
  return {.setup = benchmark_setup(ensemble.config.model, ensemble.tokenizers.sizes(), how, device),
          .lines_per_second = static_cast<double>(lines.size()) / median_seconds,
          .tokens_per_second = static_cast<double>(tokens) / median_seconds,
          .lines = std::ssize(lines),
          .tokens = tokens,
          .peak_bytes = peak_memory(device)};
}

std::string format_text(const TranslationBenchmark& benchmark) {
  return fmt::format("{}\n{:.1f} output tokens/s, {:.2f} lines/s ({}, {})\npeak memory {}", benchmark.setup,
                     benchmark.tokens_per_second, benchmark.lines_per_second, counted(benchmark.lines, "line"),
                     counted(benchmark.tokens, "token"), human_bytes(benchmark.peak_bytes));
}

std::string format_json(const TranslationBenchmark& benchmark) {
  return json_text({{"setup", benchmark.setup},
                    {"output_tokens_per_second", benchmark.tokens_per_second},
                    {"lines_per_second", benchmark.lines_per_second},
                    {"lines", benchmark.lines},
                    {"output_tokens", benchmark.tokens},
                    {"peak_memory_bytes", benchmark.peak_bytes}});
}

}  // namespace transformer
