#include <iostream>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "commands/commands.h"
#include "decoding/translator.h"
#include "device/device.h"
#include "line_writer.h"
#include "model.h"
#include "options.h"

namespace transformer {
namespace {

struct TranslateOptions {
  std::string model, input = "-", output = "-";
  std::optional<int64_t> beam_size, max_extra_tokens;
  std::optional<double> alpha;
  std::optional<bool> trees;
  int64_t batch_size = 64;
  DeviceOptions device;
};

DecodingConfig decoding_config(const TranslateOptions& options, DecodingConfig config) {
  config.beam_size = options.beam_size.value_or(config.beam_size);
  config.alpha = options.alpha.value_or(config.alpha);
  config.max_extra_tokens = options.max_extra_tokens.value_or(config.max_extra_tokens);
  config.trees = options.trees.value_or(config.trees);
  return config;
}

void log_summary(const TranslationCounts& counts, double seconds) {
  if (counts.repaired > 0) {
    log_warning(counts.repaired, " lines held bytes that are not UTF-8; these were read as U+FFFD");
  }
  if (counts.cut > 0) log_warning(counts.cut, " lines were too long and cut; only their beginning is translated");
  log_info(with_thousands(counts.lines), " lines, ", with_thousands(counts.output_tokens), " pieces in ",
           human_duration(seconds), " (",
           with_thousands(static_cast<int64_t>(static_cast<double>(counts.output_tokens) / seconds)), " pieces/s)");
}

void run_translate(const TranslateOptions& options) {
  static constexpr size_t kLinesAtOnce = 4096;  // sorted by length among themselves
  set_num_threads(options.device.threads);
  LineReader reader(options.input);
  LoadedModel model = load_for_inference(options.model, select_device(options.device.device));
  Translator translator(model.network, model.tokenizer, decoding_config(options, model.config.decoding),
                        options.batch_size);
  LineWriter writer(options.output);
  const auto start = Clock::now();
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    if (lines.size() < kLinesAtOnce) continue;
    writer.write(translator.translate(lines));
    lines.clear();
  }
  writer.write(translator.translate(lines));
  writer.finish();
  log_summary(translator.counts(), seconds_since(start));
}

}  // namespace

void add_translate(CLI::App& app) {
  auto options = std::make_shared<TranslateOptions>();
  CLI::App* command = app.add_subcommand(
      "translate", "One line of translation for each line of text, given out in blocks of 4,096 lines");
  command->add_option("--model", options->model, "A model file or checkpoint")->required()->type_name("FILE");
  command->add_option("--input", options->input, "Text, plain or .gz; -: stdin")->capture_default_str();
  command->add_option("--output", options->output, "Where translations go; -: stdout")->capture_default_str();
  command->add_option("--beam-size", options->beam_size, "Hypotheses kept; 1: greedy; default: the model's config")
      ->check(CLI::Range(1, 1024));
  command->add_option("--alpha", options->alpha, "Exponent of the length penalty; default: the model's config")
      ->check(CLI::Range(0.0, 100.0));
  command
      ->add_option("--max-extra-tokens", options->max_extra_tokens,
                   "Output pieces beyond the input's; default: the model's config")
      ->check(CLI::Range(0, 100000));
  command->add_flag_callback(
      "--trees", [options] { options->trees = true; },
      "Only trees with a leaf for each word of the line; default: the model's config");
  command->add_flag_callback(
      "--no-trees", [options] { options->trees = false; }, "Whatever the model puts out");
  command->add_option("--batch-size", options->batch_size, "Sentences searched together")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer translate --model runs/sample/averaged.pt < data/sample/test.en > test.de");
  command->callback([options] { run_translate(*options); });
}

}  // namespace transformer
