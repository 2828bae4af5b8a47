#include <memory>

#include "base/error.h"
#include "commands/commands.h"
#include "options.h"
#include "paper_tables/model_info.h"
#include "paper_tables/table2.h"
#include "paper_tables/table3.h"

namespace transformer {
namespace {

struct InfoOptions {
  ConfigSource config;
  std::string model;
  bool table2 = false, table3 = false;
  TableSources table_sources;
  std::vector<CLI::Option*> table_options;  // the options that have an effect with a table only
  bool json = false;
};

void check(const InfoOptions& options) {
  const bool has_config = !options.config.file.empty(), has_model = !options.model.empty();
  const bool has_table = options.table2 || options.table3;
  if (has_table && (has_config || has_model)) {
    throw UsageError("info: {} takes its rows from --configs and --run; leave out --config and --model",
                     options.table2 ? "--table2" : "--table3");
  }
  if (!has_table && has_config == has_model) {
    throw UsageError("info: give either --config FILE, --model FILE, --table2 or --table3");
  }
  if (!has_table) refuse_given(options.table_options, "info", "without --table2 or --table3");
  if (has_model && !options.config.overrides.empty()) {
    throw UsageError("info: --set has no effect with --model, whose config cannot be changed");
  }
}

void run_info(const InfoOptions& options) {
  check(options);
  TableSources sources = options.table_sources;
  sources.overrides = options.config.overrides;
  if (options.table2) {
    print(compare_with_table2(sources), options.json);
  } else if (options.table3) {
    print(compare_with_table3(sources), options.json);
  } else {
    print(options.model.empty() ? info_of_config(options.config) : info_of_model(options.model), options.json);
  }
}

void add_table_options(CLI::App& command, InfoOptions& options) {
  CLI::Option* table2 = command.add_flag(
      "--table2", options.table2, "Show the paper's Table 2, BLEU and training FLOPs, with our results beside it");
  command.add_flag("--table3", options.table3, "Show all rows of the paper's Table 3 with our results beside them")
      ->excludes(table2);
  TableSources& sources = options.table_sources;
  CLI::Option* configs = command
                             .add_option("--configs", sources.configs,
                                         "With --table2 or --table3: the directory of the configs of the table's rows")
                             ->type_name("DIR")
                             ->capture_default_str();
  CLI::Option* run =
      command.add_option("--run", sources.runs, "With --table2 or --table3: add the results of this run directory")
          ->type_name("DIR")
          ->take_all()
          ->allow_extra_args(false);
  command
      .add_option("--sustained-tflops", sources.sustained_tflops,
                  "With --run: sustained TFLOP/s of each device; training FLOPs are then time x devices x this")
      ->needs(run)
      ->check(CLI::Range(1e-3, 1e6));
  options.table_options = {configs, run};
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "Show a model's architecture and number of parameters, and FLOPs and memory of its training");
  add_config_options(*command, options->config);
  add_model_option(*command, options->model);
  add_table_options(*command, *options);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  transformer info --config configs/base.yaml --set data.vocabulary_size=41100\n"
      "  transformer info --table3 --set data.vocabulary_size=41100 --run runs/base");
  command->callback([options] { run_info(*options); });
}

}  // namespace transformer
