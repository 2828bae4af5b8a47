#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "config/config.h"
#include "text/source_and_target.h"

namespace transformer {

/// Where our side of the paper's Tables 2 and 3 comes from.
struct TableSources {
  std::string configs = "configs";              // the directory of the program's configs; see find_config
  std::vector<std::string> overrides = {};      // of every config: "data.vocabulary_size=41100"
  std::vector<std::string> runs = {};           // run directories
  std::optional<double> sustained_tflops = {};  // of each device that the runs were trained on
};

/// The results in a run directory.
struct RunResults {
  std::string directory;
  Config config;
  VocabularySizes vocabularies;  // of the run, which need not be data.vocabulary_size
  int64_t step = 0;
  double seconds = 0;  // of training
  double devices = 1;  // their number, a mean over time if it changed when the run was resumed
  std::optional<double> perplexity = {}, bleu = {};  // of the last validation, if they are finite
};

/// Our side of one row: a model and what its training costs.
struct ModelResults {
  std::string name;  // the paper's row, or a run directory that belongs to none
  Config config;
  std::vector<RunResults> runs;  // their configs differ in the seed and the run directory only
  VocabularySizes vocabularies = 0;
  int64_t parameters = 0;
  double training_flops = 0;                     // counted in the matrix products; a mean over the runs
  std::optional<double> training_flops_by_time;  // by the function of this name (model_cost.h); a mean over the runs

  /// The mean perplexity or BLEU of the runs that have it, and the highest minus the lowest of at least two.
  std::optional<double> mean(std::optional<double> RunResults::*figure) const;
  std::optional<double> spread(std::optional<double> RunResults::*figure) const;
};

/// The steps of the runs for a table: "2,000"; "400-2,000" if they differ; "-" without a run.
std::string steps_cell(const std::vector<RunResults>& runs);

/// A list of objects with the results of each run.
Json runs_json(const std::vector<RunResults>& runs);

/// A row of the paper with the config of its model.
struct PaperModel {
  std::string_view name;
  std::string_view config;  // file under configs/
};

/// The results for the models of a table, in the same order. Each run joins the model that has the same keys
/// under `model` (d_k and d_v written out) and the same label smoothing, together with the runs there that differ from
/// it in the seed only; a run that fits no row is added at the end. Throws UsageError if there are no configs in the
/// directory or a run is given twice, and Error if a run directory is missing or damaged.
std::vector<ModelResults> collect_results(const std::vector<PaperModel>& models, const TableSources& sources);

}  // namespace transformer
