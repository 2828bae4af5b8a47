#include <memory>

#include "base/command_files.h"
#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "model/model_output.h"
#include "model/run_files.h"
#include "options.h"
#include "platform/malloc_policy.h"
#include "run/best_average.h"
#include "run/checkpoint_average.h"
#include "run/choose_checkpoints.h"

namespace transformer {
namespace {

struct AverageOptions {
  std::string run_directory, output;
  std::vector<std::string> inputs;
  int64_t last = 0, best = 0;
  bool ema = false;
  DeviceOptions device;
  std::vector<CLI::Option*> device_options;  // have an effect only if the program chooses the checkpoints
  CLI::Option* ema_option = nullptr;         // --ema, which has an effect only if the user chooses the checkpoints
};

/// The files that the user has chosen; none if the program chooses.
std::vector<std::string> chosen_files(const AverageOptions& options) {
  const bool has_run = !options.run_directory.empty(), has_last = options.last > 0, has_best = options.best > 0;
  if (has_last && has_best) throw UsageError("average-checkpoints: give --last or --best, not both");
  if (has_run && options.inputs.empty()) {
    if (has_last) return newest_checkpoints(options.run_directory, options.last);
    return has_best ? best_checkpoints(options.run_directory, options.best) : std::vector<std::string>();
  }
  if (!options.inputs.empty() && !has_run && !has_last && !has_best) return options.inputs;
  throw UsageError("average-checkpoints: give a run directory, also with --last N or --best N, or --inputs FILE...");
}

void average_chosen(const AverageOptions& options, const std::vector<std::string>& files) {
  refuse_given(options.device_options, "average-checkpoints", "with --last, --best or --inputs");
  if (options.output.empty()) {
    throw UsageError("average-checkpoints: --output is required with --last, --best or --inputs");
  }
  check_model_output(options.output, files);
  check_are_different(files, "--inputs");
  for (const auto& file : files) log_info("averaging {}", file);
  save_model(options.output,
             average_checkpoints(files, options.ema ? Averaged::moving_averages : Averaged::parameters));
  log_info("wrote {}", options.output);
}

void average_best(const AverageOptions& options) {
  refuse_given({options.ema_option}, "average-checkpoints", "without --last, --best or --inputs");
  const std::string output = options.output.empty() ? RunFiles(options.run_directory).averaged() : options.output;
  check_model_output(output, newest_checkpoints(options.run_directory, 1));
  const torch::Device device = options.device.apply();
  set_malloc_policy(MallocPolicy::keep_freed_memory);  // for the searches, as in training
  const auto [model, made_of] = best_average(options.run_directory, device);
  save_model(output, model);
  log_info("wrote {}: the best is {}", output, made_of);
}

void run_average_checkpoints(const AverageOptions& options) {
  const auto files = chosen_files(options);
  if (files.empty()) {
    average_best(options);
  } else {
    average_chosen(options, files);
  }
}

}  // namespace

void add_average_checkpoints(CLI::App& app) {
  auto options = std::make_shared<AverageOptions>();
  CLI::App* command = app.add_subcommand("average-checkpoints",
                                         "Write a model file with the mean of the parameters of several checkpoints");
  command
      ->add_option(
          "run_directory", options->run_directory,
          "Run directory; without --last and --best, the best of several averages and checkpoints/best.safetensors is "
          "written, by the BLEU of its translation of the validation text")
      ->type_name("DIR");
  command->add_option("--last", options->last, "Average this many of the newest checkpoints in the run directory")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--best", options->best,
                   "Instead of --last: average this many of the checkpoints with the best validations, by "
                   "training.best_by of the run")
      ->check(CLI::Range(1, 1000000));
  options->ema_option = command->add_flag(
      "--ema", options->ema,
      "With --last, --best or --inputs: average the moving averages of the parameters, which checkpoints of a run with "
      "training.ema_decay have, instead of the parameters");
  command
      ->add_option("--inputs", options->inputs, "Instead of a run directory: the model files or checkpoints to average")
      ->type_name("FILE");
  command
      ->add_option(
          "-o,--output", options->output,
          "Model file to write; required with --last, --best or --inputs, otherwise averaged.safetensors in the run "
          "directory by default")
      ->type_name("FILE");
  add_device_options(*command, options->device);
  options->device_options = {command->get_option("--device"), command->get_option("--threads")};
  add_log_options(*command);
  command->footer(
      "Example:\n  transformer average-checkpoints runs/sample\n"
      "  transformer average-checkpoints --last 5 runs/sample -o runs/sample/averaged.safetensors");
  command->callback([options] { run_average_checkpoints(*options); });
}

}  // namespace transformer
