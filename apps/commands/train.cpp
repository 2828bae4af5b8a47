#include <memory>

#include "base/log.h"
#include "base/signals.h"
#include "commands/commands.h"
#include "data/prepare.h"
#include "device/device.h"
#include "options.h"
#include "training_run.h"

namespace transformer {
namespace {

struct TrainOptions {
  ConfigOptions config;
  DeviceOptions device;
  bool overwrite = false;
};

/// How to go on from here, as commands to copy.
void log_next(const Config& config, const TrainingState& state) {
  const std::string& directory = config.training.directory;
  if (!is_finished(state, config.training)) {
    log_info("stopped after step ", with_thousands(state.step), "; the same command goes on from there");
    return;
  }
  log_info("finished after step ", with_thousands(state.step), " (", human_duration(state.seconds),
           " of training). Next:");
  static constexpr size_t kAveraged = 5;  // of the base model (6.1)
  const size_t last = std::min(kAveraged, RunDirectory(directory).checkpoints().size());
  log_info("  transformer average-checkpoints --last ", last, " ", directory, " -o ", directory, "/averaged.pt");
  const std::string source = config.data.test_source.value_or("SOURCE");
  log_info("  transformer translate --model ", directory, "/averaged.pt --input ", source, " --output ", directory,
           "/translated");
  log_info("  transformer eval-bleu --hypothesis ", directory, "/translated --reference ",
           config.data.test_target.value_or("REFERENCE"));
}

void run_train(const TrainOptions& options) {
  const Config config = options.config.load();
  const torch::Device device = select_device(options.device.device);
  const int threads = set_num_threads(options.device.threads);
  if (!options.overwrite) check_run_directory(config);
  prepare(config.data, threads);
  catch_stop_signals();
  TrainingRun run(config, device, options.overwrite);
  run.train();
  log_next(config, run.state());
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      app.add_subcommand("train", "Train, after preprocessing where needed; goes on where the run directory stands");
  add_config_options(*command, options->config)->required();
  command->add_flag("--overwrite", options->overwrite, "Remove the run that the run directory holds, and begin anew");
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer train --config configs/sample.yaml --set training.seed=2");
  command->callback([options] { run_train(*options); });
}

}  // namespace transformer
