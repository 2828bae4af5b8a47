#include <iostream>
#include <memory>
#include <string>

#include "base/json.h"
#include "commands/commands.h"
#include "config/find_config.h"
#include "config/load_config.h"
#include "data/preview.h"
#include "options.h"
#include "paper_tables/model_info.h"
#include "platform/device.h"
#include "run/max_extra_tokens.h"
#include "run/prepare_data.h"

namespace transformer {
namespace {

struct PreprocessOptions {
  ConfigSource config;
  int threads = 0;
  bool preview = false, json = false;
};

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
  const ResolvedConfig resolved = resolve_config(options.config.file, options.config.overrides);
  const Config& config = resolved.config;
  warn_of_oversubscription(options.threads);
  const std::string config_file = find_config(options.config.file);
  const std::string initial_model = find_initial_model(config, config_file);
  check_can_sample(config, initial_model, options.config);
  const int threads = set_num_threads(options.threads);
  if (options.preview) {
    const auto vocabularies = find_vocabularies(config, initial_model, config_file);
    show_preview(options, config, preview_corpus(config.data, threads, vocabularies, config_file));
    return;
  }
  const DirectoryLock data = prepare_data(config, initial_model, threads, config_file);
  choose_max_extra_tokens(config, is_max_extra_tokens_given(resolved));  // for what it logs
}

}  // namespace

void add_preprocess(CLI::App& app) {
  auto options = std::make_shared<PreprocessOptions>();
  CLI::App* command = app.add_subcommand(
      "preprocess", "Learn the vocabulary and convert the text to a binary corpus, unless both exist already");
  add_config_options(*command, options->config)->required();
  add_threads_option(*command, options->threads);
  CLI::Option* preview =
      command
          ->add_flag("--preview", options->preview,
                     "Show what the first 100,000 pairs give: vocabulary, pairs in pieces, lengths, steps of an epoch, "
                     "time and memory; write nothing");
  add_json_flag(*command, options->json)->needs(preview);
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer preprocess configs/sample.yaml\n"
      "  transformer preprocess configs/sample.yaml --preview");
  command->callback([options] { run_preprocess(*options); });
}

}  // namespace transformer
