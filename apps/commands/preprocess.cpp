#include <memory>
#include <thread>

#include "commands/commands.h"
#include "data/prepare.h"
#include "options.h"

namespace transformer {
namespace {

struct PreprocessOptions {
  ConfigOptions config;
  int threads = 0;
};

void run_preprocess(const PreprocessOptions& options) {
  const int all_cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  prepare(options.config.load().data, options.threads > 0 ? options.threads : all_cores);
}

}  // namespace

void add_preprocess(CLI::App& app) {
  auto options = std::make_shared<PreprocessOptions>();
  CLI::App* command =
      app.add_subcommand("preprocess", "Text to shared vocabulary and binary corpus; nothing where all is there");
  add_config_options(*command, options->config)->required();
  command->add_option("--threads", options->threads, "CPU threads; 0: one for each core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_log_options(*command);
  command->footer("Example:\n  transformer preprocess --config configs/sample.yaml");
  command->callback([options] { run_preprocess(*options); });
}

}  // namespace transformer
