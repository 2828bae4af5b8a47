#include <memory>

#include "base/error.h"
#include "commands/commands.h"
#include "options.h"
#include "run/model_info.h"
#include "run/table3.h"

namespace transformer {
namespace {

struct InfoOptions {
  ConfigSource config;
  std::string model;
  bool table3 = false;
  Table3Sources table3_sources;
  bool json = false;
};

void check(const InfoOptions& options) {
  const bool has_config = !options.config.file.empty(), has_model = !options.model.empty();
  if (options.table3 && (has_config || has_model)) {
    throw UsageError("info: --table3 takes its rows from --configs and --run; leave out --config and --model");
  }
  if (!options.table3 && has_config == has_model) {
    throw UsageError("info: give either --config FILE, --model FILE or --table3");
  }
  if (has_model && !options.config.overrides.empty()) {
    throw UsageError("info: --set has no effect with --model, whose config cannot be changed");
  }
}

void run_info(const InfoOptions& options) {
  check(options);
  if (options.table3) {
    Table3Sources sources = options.table3_sources;
    sources.overrides = options.config.overrides;
    print(compare_with_table3(sources), options.json);
  } else {
    print(options.model.empty() ? info_of_config(options.config) : info_of_model(options.model), options.json);
  }
}

/// Adds the options that have an effect with `table3` only.
void add_table3_options(CLI::App& command, CLI::Option* table3, Table3Sources& sources) {
  command.add_option("--configs", sources.configs, "With --table3: the directory of the program's configs")
      ->type_name("DIR")
      ->needs(table3)
      ->capture_default_str();
  CLI::Option* run = command
                         .add_option("--run", sources.runs,
                                     "With --table3: a run directory whose results are added to the table; repeatable")
                         ->type_name("DIR")
                         ->needs(table3)
                         ->take_all()
                         ->allow_extra_args(false);
  command
      .add_option("--sustained-tflops", sources.sustained_tflops,
                  "With --run: the TFLOPS that the run's device sustains, for training FLOPs by time")
      ->needs(run)
      ->check(CLI::PositiveNumber);
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "Show a model's architecture and number of parameters, and FLOPs and memory of its training");
  add_config_options(*command, options->config);
  command->add_option("--model", options->model, "Model file or checkpoint")->type_name("FILE");
  CLI::Option* table3 = command->add_flag("--table3", options->table3,
                                          "Show all rows of the paper's Table 3 with our results beside them");
  add_table3_options(*command, table3, options->table3_sources);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  transformer info --config configs/base.yaml --set data.vocabulary_size=41100\n"
      "  transformer info --table3 --set data.vocabulary_size=41100 --run runs/base");
  command->callback([options] { run_info(*options); });
}

}  // namespace transformer
