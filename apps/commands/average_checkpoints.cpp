#include <memory>

#include "base/command_files.h"
#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "model/model_output.h"
#include "options.h"
#include "run/checkpoint_average.h"
#include "run/choose_checkpoints.h"

namespace transformer {
namespace {

struct AverageOptions {
  std::string run_directory, output;
  std::vector<std::string> inputs;
  int64_t last = 0, best = 0;
  bool ema = false;
};

std::vector<std::string> chosen_files(const AverageOptions& options) {
  const bool has_run = !options.run_directory.empty(), has_last = options.last > 0, has_best = options.best > 0;
  if (!options.inputs.empty() && !has_run && !has_last && !has_best) return options.inputs;
  if (options.inputs.empty() && has_run && has_last != has_best) {
    return has_last ? newest_checkpoints(options.run_directory, options.last)
                    : best_checkpoints(options.run_directory, options.best);
  }
  if (has_last && has_best) throw UsageError("average-checkpoints: give --last or --best, not both");
  throw UsageError("average-checkpoints: give a run directory with --last N or --best N, or --inputs FILE...");
}

void run_average_checkpoints(const AverageOptions& options) {
  const auto files = chosen_files(options);
  check_model_output(options.output, files);
  check_are_different(files, "--inputs");
  for (const auto& file : files) log_info("averaging {}", file);
  save_model(options.output,
             average_checkpoints(files, options.ema ? Averaged::moving_averages : Averaged::parameters));
  log_info("wrote {}", options.output);
}

}  // namespace

void add_average_checkpoints(CLI::App& app) {
  auto options = std::make_shared<AverageOptions>();
  CLI::App* command = app.add_subcommand("average-checkpoints",
                                         "Write a model file with the mean of the parameters of several checkpoints");
  command
      ->add_option("run_directory", options->run_directory,
                   "Run directory whose checkpoints --last or --best chooses from")
      ->type_name("DIR");
  command->add_option("--last", options->last, "Average this many of the newest checkpoints in the run directory")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--best", options->best,
                   "Instead of --last: average this many of the checkpoints with the best validations, by "
                   "training.best_by of the run")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--ema", options->ema,
                    "Average the moving averages of the parameters, which checkpoints of a run with training.ema_decay "
                    "have, instead of the parameters");
  command
      ->add_option("--inputs", options->inputs, "Instead of a run directory: the model files or checkpoints to average")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Model file to write")->required()->type_name("FILE");
  add_log_options(*command);
  command->footer("Example:\n  transformer average-checkpoints --last 5 runs/sample -o runs/sample/averaged.pt");
  command->callback([options] { run_average_checkpoints(*options); });
}

}  // namespace transformer
