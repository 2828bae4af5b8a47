#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/parse_number.h"
#include "commands/commands.h"
#include "config/find_config.h"
#include "config/load_config.h"
#include "data/preview.h"
#include "options.h"
#include "paper_tables/model_info.h"
#include "platform/device.h"
#include "platform/malloc_policy.h"
#include "run/max_extra_tokens.h"
#include "run/prepare_data.h"

namespace transformer {
namespace {

struct PreprocessOptions {
  ConfigSource config;
  int threads = 0;
  std::string shard;
  bool join = false, preview = false, json = false;
};

/// "2/8".
ShardNumber parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  const auto number = parse_number<int64_t>(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_number<int64_t>(text.substr(slash + 1));
  if (number && count && *number >= 1 && *number <= *count) return {*number, *count};
  throw UsageError("preprocess: --shard expects two numbers K/N, such as 1/8 for the first of eight, got '{}'",
                   shown_value(text));
}

/// Shows what preparing the data would give, and what training with it takes.
void show_preview(const PreprocessOptions& options, const Config& config, const CorpusPreview& preview) {
  const TrainingConfig& training = config.training;
  const ModelInfo info = info_of_config(options.config);
  if (options.json) {
    Json json = parse_json(format_json(preview, training.batch_tokens));
    json["training"] = parse_json(format_json(info));
    std::cout << json_text(json) << "\n";
  } else {
    std::cout << format_text(preview, training.batch_tokens, training.train_steps) << "\n" << format_text(info) << "\n";
  }
}

void run_preprocess(const PreprocessOptions& options) {
  use_a_heap_for_each_thread();
  const ResolvedConfig resolved = resolve_config(options.config.file, options.config.overrides);
  const Config& config = resolved.config;
  warn_of_oversubscription(options.threads);
  const std::string config_file = find_config(options.config.file);
  const std::string initial_model = find_initial_model(config, config_file);
  check_can_sample(config, initial_model, options.config);
  const int threads = set_num_threads(options.threads);
  if (options.preview || !options.shard.empty()) {
    const auto vocabularies = find_vocabularies(config, initial_model, config_file);
    if (options.preview) {
      show_preview(options, config, preview_corpus(config.data, threads, vocabularies, config_file));
    } else {
      encode_shard(config.data, threads, vocabularies, config_file, parse_shard(options.shard));
    }
    return;
  }
  const DirectoryLock data = prepare_data(config, initial_model, threads, config_file, OtherCorpus::replace,
                                          options.join ? CorpusOrigin::shards : CorpusOrigin::text);
  choose_max_extra_tokens(config, is_max_extra_tokens_given(resolved));  // for what it logs
}

}  // namespace

void add_preprocess(CLI::App& app) {
  auto options = std::make_shared<PreprocessOptions>();
  CLI::App* command = app.add_subcommand(
      "preprocess", "Learn the vocabulary and convert the text to a binary corpus, unless both exist already");
  add_config_options(*command, options->config)->required();
  add_threads_option(*command, options->threads);
  CLI::Option* shard =
      command
          ->add_option(
              "--shard", options->shard,
              "Encode only part K of N of the training text, on one of N machines or in one of N processes that "
              "share the prepared directory; --join then makes the corpus of all parts")
          ->type_name("K/N");
  CLI::Option* join = command
                          ->add_flag("--join", options->join,
                                     "Make the corpus of the parts that --shard has encoded; the files are those that "
                                     "one process would write")
                          ->excludes(shard);
  CLI::Option* preview =
      command
          ->add_flag("--preview", options->preview,
                     "Show what the first 100,000 pairs give: vocabulary, pairs in pieces, lengths, steps of an epoch, "
                     "time and memory; write nothing")
          ->excludes(shard)
          ->excludes(join);
  add_json_flag(*command, options->json)->needs(preview);
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer preprocess configs/sample.yaml\n"
      "  transformer preprocess configs/sample.yaml --preview");
  command->callback([options] { run_preprocess(*options); });
}

}  // namespace transformer
