#include "run/best_average.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "inference/loaded_model.h"
#include "model/run_files.h"
#include "run/checkpoint_average.h"
#include "run/choose_checkpoints.h"
#include "run/run_config.h"
#include "run/validation_translator.h"

namespace transformer {
namespace {

/// Files whose average may be the best model.
struct Candidate {
  std::string name;
  std::vector<std::string> paths;
  Averaged averaged = Averaged::parameters;
};

/// Those that the run has, with best.safetensors first, so that an average replaces it only if it is better.
std::vector<Candidate> candidates(const RunFiles& run, const Config& config) {
  static constexpr std::array<int64_t, 6> kLast = {1, 2, 3, 5, 10, 20};  // §6.1 averages 5 (base) or 20 (big)
  static constexpr int64_t kBest = 5;
  std::vector<Candidate> found;
  if (const auto best = run.existing_best()) found.push_back({*best, {*best}});
  const auto num_checkpoints = std::ssize(run.checkpoints());
  for (const int64_t count : kLast) {
    if (count > 1 && count > num_checkpoints) break;
    found.push_back({fmt::format("--last {}", count), newest_checkpoints(run.path(), count)});
  }
  if (has_best_checkpoints(run.path(), kBest)) {
    const auto best = best_checkpoints(run.path(), kBest);
    const bool is_known =
        std::any_of(found.begin(), found.end(), [&](const auto& known) { return known.paths == best; });
    if (!is_known) found.push_back({fmt::format("--best {}", kBest), best});
  }
  if (config.training.ema_decay) {
    found.push_back({"--ema --last 1", newest_checkpoints(run.path(), 1), Averaged::moving_averages});
  }
  return found;
}

ValidationTranslator validation_of(const RunFiles& run, const ValidationSet& set, const Config& config) {
  try {
    return {set, config};
  } catch (const Error& unreadable) {
    throw Error(
        "{}; data.valid of {} names it, as seen from the directory where training was started: start there, or give "
        "--last N",
        unreadable.what(), run.config());
  }
}

}  // namespace

BestAverage best_average(const std::string& run_directory, torch::Device device) {
  const RunFiles run(run_directory);
  const Config config = read_run_config(run);
  if (config.data.valid.empty()) {
    throw UsageError("{}: the run has no validation text by which to choose an average; give --last N or --best N",
                     run_directory);
  }
  // Not by the loss, which often still falls where an average translates worse.
  const auto metric =
      config.training.best_by == ValidationMetric::loss ? ValidationMetric::bleu : config.training.best_by;
  const ValidationSet set = config.data.valid.front();
  const ValidationTranslator validation = validation_of(run, set, config);
  std::optional<BestAverage> best;
  double best_score = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Candidate> all = candidates(run, config);
  for (const Candidate& candidate : all) {
    const auto start = Clock::now();
    ModelFile model = average_checkpoints(candidate.paths, candidate.averaged);
    LoadedModel loaded = build_model(model, candidate.paths.back(), candidate.paths.back(), device);
    if (&candidate == &all.front()) validation.warn_of_long_lines(loaded.tokenizers.source(), config.model);
    const double score =
        validation.score(validation.translate(loaded.network, loaded.tokenizers, candidate.name), metric);
    log_info("{}  {} {:.2f} on {}  (took {})", candidate.name, title_of(metric), score, set.source,
             human_duration(seconds_since(start)));
    const bool is_better = lower_is_better(metric) ? score < best_score : score > best_score;
    if (std::isnan(score) || (best && !is_better)) continue;
    best = {std::move(model), candidate.name};
    best_score = score;
  }
  if (!best) throw Error("{}: the scores of every model are NaN or infinite; train again", run_directory);
  if (best_score == 0 && !lower_is_better(metric)) {
    log_warning("{}: the {} of every model is 0, so that it chooses none; {} is used (give --last N to choose)",
                run_directory, title_of(metric), best->made_of);
  }
  return std::move(*best);
}

}  // namespace transformer
