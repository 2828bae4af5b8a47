#include <chrono>
#include <memory>
#include <string>

#include "commands/commands.h"
#include "options.h"
#include "run/training_process.h"

namespace transformer {
namespace {

struct TrainOptions {
  TrainingTask task;
  DeviceOptions device;
};

void add_timeout_option(CLI::App& command, const char* name, std::chrono::seconds& timeout, const char* description) {
  command
      .add_option_function<int>(
          name, [&timeout](int seconds) { timeout = std::chrono::seconds(seconds); }, description)
      ->check(CLI::Range(1, 86400))
      ->default_str(std::to_string(timeout.count()))
      ->group("Devices");
}

void run_train(const TrainOptions& options) {
  TrainingTask task = options.task;
  task.device = options.device.device;
  task.threads = options.device.threads;
  run_training(task);
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  TrainingTask& task = options->task;
  CLI::App* command = app.add_subcommand(
      "train", "Train a model, after preprocessing if needed, or resume the run in the run directory");
  add_config_options(*command, task.config)->required();
  CLI::Option* overwrite =
      command->add_flag("--overwrite", task.overwrite, "Remove the run in the run directory and start a new one");
  command
      ->add_option("--verify-resume", task.verify_resume_steps,
                   "Instead of training, test whether N steps and N more after resuming give bit for bit the same "
                   "parameters as 2 N steps")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(overwrite);
  command->add_option("--devices", task.devices, "Number of devices of this machine to train on, with one process each")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->group("Devices");
  add_timeout_option(*command, "--start-timeout", task.timeouts.start,
                     "Seconds that the processes wait for each other when they start");
  add_timeout_option(
      *command, "--step-timeout", task.timeouts.step,
      "Seconds without progress in a training step after which a process counts as hanging, and all end");
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer train configs/sample.yaml --set training.seed=2");
  command->callback([options] { run_train(*options); });
}

}  // namespace transformer
