#include <memory>

#include "commands/commands.h"
#include "inference/score_file.h"
#include "options.h"

namespace transformer {
namespace {

struct ScoreOptions {
  ScoringTask task;
  DeviceOptions device;
};

void run_score(const ScoreOptions& options) { score_file(options.task, options.device.apply()); }

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreOptions>();
  ScoringTask& task = options->task;
  CLI::App* command = app.add_subcommand(
      "score",
      "Print the natural log-probability of each sentence pair, and the perplexity per word piece as in Table 3");
  add_model_option(*command, task.model)->required();
  command->add_option("--source", task.source, "Source text, plain or gzip-compressed; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("--target", task.target, "Translations to score, line by line; -: stdin")
      ->required()
      ->type_name("FILE");
  add_tag_option(*command, task.tag);
  add_json_flag(*command, task.json);
  command
      ->add_option("--batch-tokens", task.batch_tokens,
                   "Maximum number of source or target tokens in a batch, end symbols included")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer score --model runs/sample/averaged.safetensors --source data/sample/test.en --target "
      "data/sample/test.de");
  command->callback([options] { run_score(*options); });
}

}  // namespace transformer
