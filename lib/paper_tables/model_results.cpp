#include "paper_tables/model_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/command_files.h"
#include "base/error.h"
#include "base/format.h"
#include "config/find_config.h"
#include "config/load_config.h"
#include "model/model_cost.h"
#include "model/run_files.h"
#include "reporting/metrics.h"
#include "reporting/run_facts.h"
#include "reporting/step_lines.h"
#include "run/architecture.h"
#include "run/prepare_data.h"
#include "run/run_config.h"

namespace transformer {
namespace {

RunResults read_run(const std::string& path) {
  const RunFiles directory(path);
  const Config config = read_run_config(directory);
  const VocabularySizes vocabularies = std::filesystem::exists(directory.facts())
                                           ? read_run_facts(directory.facts()).vocabularies
                                           : vocabulary_sizes(config);
  RunResults run{.directory = path, .config = config, .vocabularies = vocabularies};
  if (!std::filesystem::exists(directory.metrics())) return run;
  double device_seconds = 0;
  for (const MetricsLine& line : read_step_lines<MetricsLine>(directory.metrics())) {
    run.step = line.step;
    const auto seconds = line.value("seconds"), devices = line.value("devices");
    if (seconds && devices) {
      device_seconds += (*seconds - run.seconds) * *devices;
      run.seconds = *seconds;
    }
    const auto read = [&](std::optional<double>& figure, const char* name) {
      const auto value = line.value(validation_key(name));
      if (value) figure = std::isfinite(*value) ? value : std::nullopt;
    };
    read(run.perplexity, "perplexity");
    read(run.bleu, "bleu");
  }
  if (run.seconds > 0) run.devices = device_seconds / run.seconds;
  return run;
}

/// Whether both have the same model and label smoothing, in which the rows of Table 3 differ.
bool is_same_model(const Config& one, const Config& other) {
  return model_differences(one.model, other.model).empty() && one.training.eps_ls == other.training.eps_ls;
}

std::vector<ModelResults> load_models(const std::vector<PaperModel>& models, const TableSources& sources) {
  const auto config_of = [&](const PaperModel& model) { return fmt::format("{}/{}", sources.configs, model.config); };
  if (const std::string first = config_of(models.front()); !std::filesystem::exists(find_config(first))) {
    throw UsageError(
        "{}: there is no such config (looked for it from {}); give the directory of the program's configs with "
        "--configs DIR",
        first, std::filesystem::current_path().string());
  }
  std::vector<ModelResults> rows;
  for (const PaperModel& model : models) {
    ModelResults row;
    row.name = model.name;
    row.config = load_config(find_config(config_of(model)), sources.overrides);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Whether the run belongs to the row: it is the first one of the row's model, or it repeats the runs there with
/// another seed.
bool fits(const RunResults& run, const ModelResults& row) {
  if (row.runs.empty()) return is_same_model(run.config, row.config);
  const auto is_compared = [](const std::string& key) { return key != "training.seed" && key != "training.directory"; };
  return config_differences(run.config, row.config, is_compared).empty();
}

void add_run(std::vector<ModelResults>& rows, RunResults run) {
  auto row = std::find_if(rows.begin(), rows.end(), [&](const ModelResults& other) { return fits(run, other); });
  if (row == rows.end()) {
    row = rows.insert(rows.end(), ModelResults());
    row->name = run.directory;
  }
  if (row->runs.empty()) row->config = run.config;
  row->runs.push_back(std::move(run));
}

void add_costs(ModelResults& row, std::optional<double> sustained_tflops) {
  const TrainingConfig& training = row.config.training;
  row.vocabularies = row.runs.empty() ? vocabulary_sizes(row.config) : row.runs.front().vocabularies;
  row.parameters = num_parameters(row.config.model, row.vocabularies);
  const auto flops_of = [&](int64_t steps) {
    return training_flops(row.config.model, row.vocabularies, training.batch_tokens, steps);
  };
  if (row.runs.empty()) {
    row.training_flops = flops_of(training.train_steps);
    return;
  }
  double counted = 0, by_time = 0;
  for (const RunResults& run : row.runs) {
    counted += flops_of(run.step);
    by_time += training_flops_by_time(run.seconds, run.devices, 1e12 * sustained_tflops.value_or(0));
  }
  const auto num_runs = static_cast<double>(row.runs.size());
  row.training_flops = counted / num_runs;
  if (sustained_tflops) row.training_flops_by_time = by_time / num_runs;
}

std::vector<double> values_of(const std::vector<RunResults>& runs, std::optional<double> RunResults::*figure) {
  std::vector<double> values;
  for (const RunResults& run : runs) {
    if (run.*figure) values.push_back(*(run.*figure));
  }
  return values;
}

}  // namespace

std::optional<double> ModelResults::mean(std::optional<double> RunResults::*figure) const {
  const auto values = values_of(runs, figure);
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> ModelResults::spread(std::optional<double> RunResults::*figure) const {
  const auto values = values_of(runs, figure);
  if (values.size() < 2) return std::nullopt;
  return *std::max_element(values.begin(), values.end()) - *std::min_element(values.begin(), values.end());
}

std::string steps_cell(const std::vector<RunResults>& runs) {
  if (runs.empty()) return "-";
  const auto [fewest, most] = std::minmax_element(
      runs.begin(), runs.end(), [](const RunResults& a, const RunResults& b) { return a.step < b.step; });
  if (fewest->step == most->step) return with_thousands(most->step);
  return fmt::format("{}-{}", with_thousands(fewest->step), with_thousands(most->step));
}

Json runs_json(const std::vector<RunResults>& runs) {
  Json list = Json::array();
  for (const RunResults& run : runs) {
    list.push_back({{"run", run.directory},
                    {"seed", run.config.training.seed},
                    {"step", run.step},
                    {"seconds", run.seconds},
                    {"devices", run.devices},
                    {"perplexity", json_or_null(run.perplexity)},
                    {"bleu", json_or_null(run.bleu)}});
  }
  return list;
}

std::vector<ModelResults> collect_results(const std::vector<PaperModel>& models, const TableSources& sources) {
  check_are_different(sources.runs, "--run");
  std::vector<ModelResults> rows = load_models(models, sources);
  for (const std::string& path : sources.runs) add_run(rows, read_run(path));
  for (ModelResults& row : rows) add_costs(row, sources.sustained_tflops);
  return rows;
}

}  // namespace transformer
