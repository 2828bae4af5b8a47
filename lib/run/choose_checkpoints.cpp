#include "run/choose_checkpoints.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/format.h"
#include "config/config.h"
#include "model/run_files.h"
#include "reporting/metrics.h"
#include "reporting/step_lines.h"
#include "run/run_config.h"

namespace transformer {
namespace {

/// A checkpoint with the result of its validation.
struct RatedCheckpoint {
  double cost;  // the loss or TER, or minus BLEU or chrF: lower is better
  int64_t step;
  std::string path;
};

/// The results of the run's validations by step, as RatedCheckpoint::cost.
std::map<int64_t, double> costs_of_validations(const RunFiles& run) {
  const ValidationMetric metric = read_run_config(run).training.best_by;
  std::map<int64_t, double> costs;
  if (!std::filesystem::exists(run.metrics())) return costs;  // stopped before its first log line
  for (const auto& line : read_step_lines<MetricsLine>(run.metrics())) {
    const auto value = line.value(validation_key(name_of(metric)));
    if (value && !std::isnan(*value)) costs[line.step] = lower_is_better(metric) ? *value : -*value;
  }
  return costs;
}

/// The checkpoints after whose step the run was validated, the best first; of equally good ones the newer.
std::vector<RatedCheckpoint> rated_checkpoints(const RunFiles& run, const std::map<int64_t, double>& costs) {
  std::vector<RatedCheckpoint> rated;
  for (const auto& path : run.checkpoints()) {
    const auto cost = costs.find(step_of_name(path).value());
    if (cost != costs.end()) rated.push_back({cost->second, cost->first, path});
  }
  std::sort(rated.begin(), rated.end(),
            [](const auto& a, const auto& b) { return a.cost != b.cost ? a.cost < b.cost : a.step > b.step; });
  return rated;
}

}  // namespace

std::vector<std::string> newest_checkpoints(const std::string& run_directory, int64_t count) {
  const auto paths = RunFiles(run_directory).checkpoints();
  if (paths.empty()) throw Error("{}: is no run directory with checkpoints; check the path", run_directory);
  if (std::ssize(paths) < count) {
    throw Error("{}: has {}, not {}; give a smaller --last, or train with a larger training.keep_checkpoints",
                run_directory, counted(std::ssize(paths), "checkpoint"), count);
  }
  return {paths.end() - count, paths.end()};
}

bool has_best_checkpoints(const std::string& run_directory, int64_t count) {
  const RunFiles run(run_directory);
  const auto costs = costs_of_validations(run);
  const auto rated = rated_checkpoints(run, costs);
  return !rated.empty() && std::ssize(rated) >= count &&
         std::all_of(costs.begin(), costs.end(),
                     [&](const auto& validation) { return validation.second >= rated.front().cost; });
}

std::vector<std::string> best_checkpoints(const std::string& run_directory, int64_t count) {
  const RunFiles run(run_directory);
  auto rated = rated_checkpoints(run, costs_of_validations(run));
  if (!std::filesystem::exists(run.metrics())) {
    throw Error("{}: is missing, and with it the results of the run's validations; give --last instead of --best",
                run.metrics());
  }
  if (std::ssize(rated) < count) {
    throw Error(
        "{}: has {} with a validation, not {}; give a smaller --best, or train with a larger "
        "training.keep_checkpoints and a training.checkpoint_every that divides training.validate_every",
        run_directory, counted(std::ssize(rated), "checkpoint"), count);
  }
  rated.resize(static_cast<size_t>(count));
  std::sort(rated.begin(), rated.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  std::vector<std::string> paths;
  for (const auto& checkpoint : rated) paths.push_back(checkpoint.path);
  return paths;
}

}  // namespace transformer
