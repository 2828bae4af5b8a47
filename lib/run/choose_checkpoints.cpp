#include "run/choose_checkpoints.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/format.h"
#include "config/config.h"
#include "reporting/metrics.h"
#include "run/run_config.h"
#include "training/run_directory.h"

namespace transformer {
namespace {

/// A checkpoint with the value of its validation; a lower rank is better.
struct RatedCheckpoint {
  double rank;
  int64_t step;
  std::string path;
};

/// The checkpoints after whose step the run was validated.
std::vector<RatedCheckpoint> rated_checkpoints(const RunDirectory& run, ValidationMetric metric) {
  std::map<int64_t, double> values;
  for (const auto& line : read_metrics(run.metrics())) {
    const auto value = line.value(validation_key(name_of(metric)));
    if (value && !std::isnan(*value)) values[line.step] = lower_is_better(metric) ? *value : -*value;
  }
  std::vector<RatedCheckpoint> rated;
  for (const auto& path : run.checkpoints()) {
    const auto value = values.find(step_of_name(path).value());
    if (value != values.end()) rated.push_back({value->second, value->first, path});
  }
  return rated;
}

}  // namespace

std::vector<std::string> newest_checkpoints(const std::string& run_directory, int64_t count) {
  const auto paths = RunDirectory(run_directory).checkpoints();
  if (paths.empty()) throw Error("{}: is no run directory with checkpoints; check the path", run_directory);
  if (std::ssize(paths) < count) {
    throw Error("{}: has {}, not {}; give a smaller --last, or train with a larger training.keep_checkpoints",
                run_directory, counted(std::ssize(paths), "checkpoint"), count);
  }
  return {paths.end() - count, paths.end()};
}

std::vector<std::string> best_checkpoints(const std::string& run_directory, int64_t count) {
  const RunDirectory run(run_directory);
  const Config config = read_run_config(run);
  auto rated = rated_checkpoints(run, config.training.best_by);
  if (std::ssize(rated) < count) {
    throw Error(
        "{}: has {} with a validation, not {}; give a smaller --best, or train with a larger "
        "training.keep_checkpoints and a training.checkpoint_every that divides training.validate_every",
        run_directory, counted(std::ssize(rated), "checkpoint"), count);
  }
  std::sort(rated.begin(), rated.end(),
            [](const auto& a, const auto& b) { return a.rank != b.rank ? a.rank < b.rank : a.step > b.step; });
  rated.resize(static_cast<size_t>(count));
  std::sort(rated.begin(), rated.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  std::vector<std::string> paths;
  for (const auto& checkpoint : rated) paths.push_back(checkpoint.path);
  return paths;
}

}  // namespace transformer
