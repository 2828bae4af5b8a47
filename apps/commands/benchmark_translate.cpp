#include <iostream>
#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "commands/benchmarks.h"
#include "decoding/translator.h"
#include "options.h"
#include "platform/device.h"
#include "run/loaded_model.h"

namespace transformer {
namespace {

struct TranslateBenchmarkOptions {
  std::string model, input;
  int64_t beam_size = 4, rounds = 3, lines = 0;
  TranslatorOptions search;
  WeightType precision = WeightType::fp32;
  bool json = false;
  DeviceOptions device;
};

struct Result {
  double lines_per_second, pieces_per_second;  // medians of the rounds
  int64_t lines, pieces, peak_bytes;           // of one round, all in one
};

std::vector<std::string> first_lines(const std::string& path, int64_t most) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; (most == 0 || std::ssize(lines) < most) && reader.next(line);) lines.push_back(line);
  if (lines.empty()) throw Error(path, ": has no lines");
  return lines;
}

Result measure(const TranslateBenchmarkOptions& options) {
  const auto lines = first_lines(options.input, options.lines);
  LoadedModel model = load_for_search(options.model, select_device(options.device.device));
  pack_for_search(model.network, options.precision);
  DecodingConfig decoding = model.config.decoding;
  decoding.beam_size = options.beam_size;
  Translator translator({model.network}, model.tokenizer, decoding, options.search);
  translator.translate({lines.front()});  // warms up
  std::vector<double> seconds;
  int64_t pieces = 0;
  for (int64_t round = 0; round < options.rounds; ++round) {
    const int64_t before = translator.counts().output_tokens;
    const auto start = Clock::now();
    translator.translate(lines);
    seconds.push_back(seconds_since(start));
    pieces = translator.counts().output_tokens - before;
  }
  const double typical = median(seconds);
  return {static_cast<double>(lines.size()) / typical, static_cast<double>(pieces) / typical, std::ssize(lines), pieces,
          peak_process_bytes()};
}

void print_text(const Result& result) {
  std::cout << fixed(result.pieces_per_second, 1) << " output pieces/s, " << fixed(result.lines_per_second, 2)
            << " lines/s (" << with_thousands(result.lines) << " lines, " << with_thousands(result.pieces)
            << " pieces)\npeak memory " << human_bytes(result.peak_bytes) << "\n";
}

void print_json(const Result& result) {
  std::cout << "{\"output_pieces_per_second\": " << json_number(result.pieces_per_second)
            << ", \"lines_per_second\": " << json_number(result.lines_per_second) << ", \"lines\": " << result.lines
            << ", \"output_pieces\": " << result.pieces << ", \"peak_memory_bytes\": " << result.peak_bytes << "}\n";
}

void run_benchmark_translate(const TranslateBenchmarkOptions& options) {
  set_num_threads(options.device.threads);
  const Result result = measure(options);
  options.json ? print_json(result) : print_text(result);
}

}  // namespace

void add_benchmark_translate(CLI::App& benchmark) {
  auto options = std::make_shared<TranslateBenchmarkOptions>();
  CLI::App* command = benchmark.add_subcommand("translate", "A text translated several times, from memory to memory");
  command->add_option("--model", options->model, "A model file or checkpoint")->required()->type_name("FILE");
  command->add_option("--input", options->input, "Text, plain or .gz")->required()->type_name("FILE");
  command->add_option("--lines", options->lines, "Only so many of its lines; 0: all")
      ->check(CLI::Range(0, 100000000))
      ->capture_default_str();
  command->add_option("--rounds", options->rounds, "How often; the median counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--output-pieces", options->search.output_pieces,
                   "Every output has exactly so many pieces; 0: as the model likes")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--beam-size", options->beam_size, "Hypotheses kept; 1: greedy")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  add_translator_options(*command, options->search, options->precision);
  command->add_flag("--json", options->json, "One JSON object");
  add_device_options(*command, options->device);
  command->footer(
      "Example:\n  transformer benchmark translate --model runs/sample/averaged.pt --input data/sample/test.en");
  command->callback([options] { run_benchmark_translate(*options); });
}

}  // namespace transformer
