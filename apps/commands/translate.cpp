#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/aligned_lines.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/line_reader.h"
#include "base/log.h"
#include "base/progress.h"
#include "commands/commands.h"
#include "data/clean_line.h"
#include "decoding/translator.h"
#include "options.h"
#include "platform/device.h"
#include "platform/malloc_policy.h"
#include "run/line_writer.h"
#include "run/loaded_model.h"
#include "run/translation_format.h"

namespace transformer {
namespace {

struct TranslateOptions {
  std::vector<std::string> models;
  std::string input = "-", output = "-", prefix;
  std::optional<int64_t> beam_size, max_extra_tokens;
  std::optional<double> alpha;
  std::optional<LengthPenaltyForm> length_penalty;
  std::optional<bool> trees;
  TranslatorOptions search;
  WeightType precision = WeightType::fp32;
  SamplingOptions sampling;
  bool samples = false;
  TranslationFormat format;
  DeviceOptions device;
};

/// The models of an ensemble: what they search with is the first one's.
struct LoadedModels {
  Config config;
  Tokenizer tokenizer;
  std::vector<Transformer> networks;
};

LoadedModels load_models(const std::vector<std::string>& paths, torch::Device device) {
  LoadedModel first = load_for_search(paths[0], device);
  LoadedModels models{std::move(first.config), std::move(first.tokenizer), {first.network}};
  for (size_t i = 1; i < paths.size(); ++i) {
    const LoadedModel other = load_for_search(paths[i], device);
    if (other.tokenizer.model_bytes() != models.tokenizer.model_bytes()) {
      throw Error(paths[i], ": has another vocabulary than ", paths[0], "; an ensemble's models share theirs");
    }
    models.networks.push_back(other.network);
  }
  return models;
}

DecodingConfig decoding_config(const TranslateOptions& options, DecodingConfig config) {
  config.beam_size = options.beam_size.value_or(config.beam_size);
  config.alpha = options.alpha.value_or(config.alpha);
  config.length_penalty = options.length_penalty.value_or(config.length_penalty);
  config.max_extra_tokens = options.max_extra_tokens.value_or(config.max_extra_tokens);
  config.trees = options.trees.value_or(config.trees);
  return config;
}

void check(const TranslateOptions& options, const DecodingConfig& config) {
  const TranslationFormat& format = options.format;
  if (options.samples && options.search.nbest > 1) throw UsageError("--nbest asks for a search; leave out --sample");
  if (options.search.nbest > config.beam_size) {
    throw UsageError("--nbest ", options.search.nbest, ": the beam has ", config.beam_size,
                     " hypotheses; give a larger --beam-size");
  }
  if (options.search.nbest > 1 && format.kind == OutputFormat::text) {
    throw UsageError("--nbest ", options.search.nbest,
                     ": one line holds one translation; give --format nbest or jsonl");
  }
  if ((format.scores || format.word_scores) && format.kind == OutputFormat::jsonl) {
    throw UsageError("--scores, --word-scores: --format jsonl has them in any case; leave them out");
  }
  if (config.trees && !options.prefix.empty()) {
    throw UsageError("--prefix: outputs that are trees take none; give --no-trees");
  }
}

void check_prefix(const std::string& prefix, const Tokenizer& tokenizer, const std::string& place) {
  const auto pieces = tokenizer.encode(clean_line(prefix).text);
  if (std::find(pieces.begin(), pieces.end(), kUnknown) == pieces.end()) return;
  throw Error(place, ": has a character that the model's vocabulary lacks, so no translation begins so; leave it out");
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
  AlignedLines reader(options.prefix.empty() ? std::vector{options.input} : std::vector{options.input, options.prefix});
  LoadedModels models = load_models(options.models, select_device(options.device.device));
  const DecodingConfig config = decoding_config(options, models.config.decoding);
  check(options, config);
  TranslatorOptions search = options.search;
  if (options.samples) search.sampling = options.sampling;
  search.alignment = options.format.alignment;
  for (auto& network : models.networks) pack_for_search(network, options.precision);
  Translator translator(models.networks, models.tokenizer, config, search);
  LineWriter writer(options.output);
  const auto start = Clock::now();
  const bool shows_progress = ProgressBar::is_wanted() && options.input != "-";
  std::optional<ProgressBar> progress;
  if (shows_progress && std::filesystem::is_regular_file(options.input)) {
    progress.emplace("lines", count_lines(options.input));
  }
  std::vector<std::string> lines, prefixes;
  const auto translate_lines = [&] {
    int64_t number = translator.counts().lines;
    std::vector<std::string> output;
    for (const auto& translations : translator.translate(lines, prefixes)) {
      for (auto& line : options.format.lines(++number, translations)) output.push_back(std::move(line));
    }
    if (progress) progress->hide();
    writer.write(output);
    if (progress) progress->update(number);
    lines.clear();
    prefixes.clear();
  };
  for (std::vector<std::string> line; reader.next(line);) {
    lines.push_back(line[0]);
    if (line.size() > 1) {
      check_prefix(line[1], models.tokenizer, concat(options.prefix, ":", reader.line_number()));
      prefixes.push_back(line[1]);
    }
    // Who waits for an answer gets it: a block ends where nothing more has come.
    if (lines.size() == kLinesAtOnce || !reader.is_ready()) {
      const bool is_full = lines.size() == kLinesAtOnce;
      translate_lines();
      if (is_full) give_back_freed_memory();  // in too small pieces for the next block
    }
  }
  translate_lines();
  progress.reset();
  writer.finish();
  log_summary(translator.counts(), seconds_since(start));
}

}  // namespace

void add_translate(CLI::App& app) {
  auto options = std::make_shared<TranslateOptions>();
  CLI::App* command = app.add_subcommand("translate", "One line of translation for each line of text");
  command->add_option("--model", options->models, "A model file or checkpoint; several: their ensemble")
      ->required()
      ->type_name("FILE");
  command->add_option("--input", options->input, "Text, plain or .gz; -: stdin")->capture_default_str();
  command->add_option("-o,--output", options->output, "Where translations go, plain or .gz; -: stdout")
      ->capture_default_str();
  command->add_option("--prefix", options->prefix, "Beginnings that translations must have, one a line, maybe blank")
      ->type_name("FILE");
  command->add_option("--beam-size", options->beam_size, "Hypotheses kept; 1: greedy; default: the model's config")
      ->check(CLI::Range(1, 1024));
  command->add_option("--alpha", options->alpha, "Exponent of the length penalty; default: the model's config")
      ->check(CLI::Range(0.0, 100.0));
  command
      ->add_option("--length-penalty", options->length_penalty,
                   "gnmt: ((5 + length) / 6)^alpha; average: length^alpha; none; default: the model's config")
      ->transform(one_of_names<LengthPenaltyForm>())
      ->option_text("gnmt|average|none");
  command
      ->add_option("--max-extra-tokens", options->max_extra_tokens,
                   "Output pieces beyond the input's; default: the model's config")
      ->check(CLI::Range(0, 100000));
  command->add_flag_callback(
      "--trees", [options] { options->trees = true; },
      "Only trees with a leaf for each word of the line; default: the model's config");
  command->add_flag_callback(
      "--no-trees", [options] { options->trees = false; }, "Whatever the model puts out");
  command->add_option("--nbest", options->search.nbest, "Translations of each line, best first")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      ->add_option("--format", options->format.kind,
                   "text: translations alone; nbest: line ||| translation ||| score; jsonl: an object for each line")
      ->transform(one_of_names<OutputFormat>())
      ->option_text("text|nbest|jsonl");
  command->add_flag("--scores", options->format.scores, "The score after each translation and a tab");
  command->add_flag("--word-scores", options->format.word_scores,
                    "The log-probabilities of a translation's pieces after it and a tab");
  command->add_flag("--alignment", options->format.alignment,
                    "Behind each translation and a tab, for each of its pieces, the source piece it attends to most");
  CLI::Option* sample =
      command->add_flag("--sample", options->samples, "Draw translations instead of searching for the best");
  command
      ->add_option("--temperature", options->sampling.temperature, "Of --sample: below 1, likely pieces are likelier")
      ->needs(sample)
      ->check(CLI::Range(1e-3, 1e3))
      ->capture_default_str();
  command->add_option("--top-k", options->sampling.top_k, "Of --sample: only the likeliest pieces; 0: all")
      ->needs(sample)
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->sampling.seed, "Of --sample")->needs(sample)->capture_default_str();
  add_translator_options(*command, options->search, options->precision);
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer translate --model runs/sample/averaged.pt < data/sample/test.en > test.de");
  command->callback([options] { run_translate(*options); });
}

}  // namespace transformer
