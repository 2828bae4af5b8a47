#include <memory>

#include "base/error.h"
#include "commands/commands.h"
#include "config/config_report.h"
#include "options.h"

namespace transformer {
namespace {

struct ConfigOptions {
  ConfigSource config;
  bool list = false, json = false;
};

void run_config(const ConfigOptions& options) {
  const bool has_file = !options.config.file.empty();
  if (has_file == options.list) throw UsageError("config: give either FILE or --list");
  if (options.list && !options.config.overrides.empty()) throw UsageError("config: --set has no effect with --list");
  if (options.list) {
    print(config_values(Config()), options.json);
  } else {
    print(resolve_config(options.config.file, options.config.overrides), options.json);
  }
}

}  // namespace

void add_config(CLI::App& app) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* command = app.add_subcommand(
      "config", "Check a config and show where each value comes from, or list all keys with their meaning");
  add_config_options(*command, options->config);
  command->add_flag("--list", options->list, "List all keys with type, range, default and meaning instead");
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  transformer config configs/sample.yaml --set training.seed=2\n  transformer config --list");
  command->callback([options] { run_config(*options); });
}

}  // namespace transformer
