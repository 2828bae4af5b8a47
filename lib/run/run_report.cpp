#include "run/run_report.h"

#include <filesystem>

#include "base/command_files.h"
#include "base/error.h"
#include "reporting/step_lines.h"
#include "run/run_config.h"

namespace transformer {
namespace {

void check_has_metrics(const RunFiles& directory) {
  if (std::filesystem::exists(directory.metrics())) return;
  throw Error("{}: this run has no metrics yet (no {}); train it first, up to the first log line", directory.path(),
              directory.metrics());
}

}  // namespace

RunRecord read_run_record(const RunFiles& directory, const Config& config) {
  RunRecord run{.name = directory.path(),
                .config_text = dump_config(config),
                .train_steps = config.training.train_steps,
                .best_by = name_of(config.training.best_by),
                .lower_is_better = lower_is_better(config.training.best_by)};
  for (const KeyValue& key : config_values(config)) run.config_values.emplace_back(key.name, value_text(key.value));
  if (std::filesystem::exists(directory.facts())) run.facts = read_run_facts(directory.facts());
  if (std::filesystem::exists(directory.metrics())) run.metrics = read_step_lines<MetricsLine>(directory.metrics());
  if (std::filesystem::exists(directory.samples())) {
    run.samples = read_step_lines<ValidationSamples>(directory.samples());
  }
  return run;
}

std::string make_report(const std::vector<std::string>& run_directories, const std::string& output) {
  check_are_different(run_directories, "report");
  std::vector<RunRecord> runs;
  for (const std::string& path : run_directories) {
    const RunFiles directory(path);
    check_replaces_no_input(output, {directory.config(), directory.metrics(), directory.facts(), directory.samples()});
    runs.push_back(read_run_record(directory, read_run_config(directory)));
    check_has_metrics(directory);
  }
  return report_page(runs);
}

}  // namespace transformer
