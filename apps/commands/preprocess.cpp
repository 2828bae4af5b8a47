#include <memory>

#include "commands/commands.h"
#include "config/find_config.h"
#include "config/load_config.h"
#include "options.h"
#include "platform/device.h"
#include "run/max_extra_tokens.h"
#include "run/prepare_data.h"

namespace transformer {
namespace {

struct PreprocessOptions {
  ConfigSource config;
  int threads = 0;
};

void run_preprocess(const PreprocessOptions& options) {
  const ResolvedConfig resolved = resolve_config(options.config.file, options.config.overrides);
  const Config& config = resolved.config;
  warn_of_oversubscription(options.threads);
  const std::string config_file = find_config(options.config.file);
  const std::string initial_model = find_initial_model(config, config_file);
  check_can_sample(config, initial_model, options.config);
  const DirectoryLock data = prepare_data(config, initial_model, set_num_threads(options.threads), config_file);
  choose_max_extra_tokens(config, is_max_extra_tokens_given(resolved));  // for what it logs
}

}  // namespace

void add_preprocess(CLI::App& app) {
  auto options = std::make_shared<PreprocessOptions>();
  CLI::App* command = app.add_subcommand(
      "preprocess", "Learn the vocabulary and convert the text to a binary corpus, unless both exist already");
  add_config_options(*command, options->config)->required();
  add_threads_option(*command, options->threads);
  add_log_options(*command);
  command->footer("Example:\n  transformer preprocess configs/sample.yaml");
  command->callback([options] { run_preprocess(*options); });
}

}  // namespace transformer
