#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "commands/commands.h"
#include "options.h"
#include "training/checkpoint_average.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

struct AverageOptions {
  std::string run_directory, output;
  std::vector<std::string> inputs;
  int64_t last = 0;
};

std::vector<std::string> chosen_checkpoints(const AverageOptions& options) {
  if (!options.inputs.empty() && options.run_directory.empty() && options.last == 0) return options.inputs;
  if (!options.inputs.empty() || options.run_directory.empty() || options.last == 0) {
    throw UsageError("average-checkpoints: give either a run directory with --last N, or --inputs FILE...");
  }
  if (!std::filesystem::is_directory(options.run_directory)) {
    throw Error(options.run_directory, ": there is no such run directory; check the path");
  }
  auto paths = RunDirectory(options.run_directory).checkpoints();
  const auto last = static_cast<size_t>(options.last);
  if (paths.size() < last) {
    throw Error(options.run_directory, ": has ", paths.size(), " checkpoints, not ", last,
                "; give a smaller --last, or train with a larger training.keep_checkpoints");
  }
  return {paths.end() - options.last, paths.end()};
}

void run_average_checkpoints(const AverageOptions& options) {
  const auto paths = chosen_checkpoints(options);
  for (const auto& path : paths) log_info("averaging ", path);
  save_model(options.output, average_checkpoints(paths));
  log_info("wrote ", options.output);
}

}  // namespace

void add_average_checkpoints(CLI::App& app) {
  auto options = std::make_shared<AverageOptions>();
  CLI::App* command =
      app.add_subcommand("average-checkpoints", "The mean of several checkpoints' parameters, as a model file");
  command->add_option("run_directory", options->run_directory, "A run directory, with --last");
  command->add_option("--last", options->last, "How many of its newest checkpoints")->check(CLI::Range(1, 1000000));
  command->add_option("--inputs", options->inputs, "Model files or checkpoints")->type_name("FILE");
  command->add_option("-o,--output", options->output, "The model file to write")->required()->type_name("FILE");
  add_log_options(*command);
  command->footer("Example:\n  transformer average-checkpoints --last 5 runs/sample -o runs/sample/averaged.pt");
  command->callback([options] { run_average_checkpoints(*options); });
}

}  // namespace transformer
