#include <memory>

#include "commands/commands.h"
#include "options.h"
#include "run/training_process.h"

namespace transformer {
namespace {

struct TrainOptions {
  TrainingTask task;
  DeviceOptions device;
};

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
  command
      ->add_option("--start-timeout", task.start_timeout,
                   "Seconds that the processes wait for each other when they start")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str()
      ->group("Devices");
  add_device_options(*command, options->device);
  add_log_options(*command);
  command->footer("Example:\n  transformer train configs/sample.yaml --set training.seed=2");
  command->callback([options] { run_train(*options); });
}

}  // namespace transformer
