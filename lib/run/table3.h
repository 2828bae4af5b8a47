#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "reporting/table3.h"

namespace transformer {

/// Where our side of Table 3 comes from.
struct Table3Sources {
  std::string configs = "configs";              // the directory of the program's configs
  std::vector<std::string> overrides = {};      // of every config: "data.vocabulary_size=41100"
  std::vector<std::string> runs = {};           // run directories
  std::optional<double> sustained_tflops = {};  // of the device that the runs were trained on
};

/// The results in a run directory.
struct RunResults {
  std::string directory;
  Config config;
  int64_t step = 0;
  double seconds = 0;                      // of training
  std::optional<double> perplexity, bleu;  // of the last validation
};

/// A row of Table 3 with our figures beside the paper's.
struct Table3Comparison {
  std::string name;  // the paper's row, or a run directory that belongs to none
  Table3Row paper;   // empty for such a run
  Config config;
  std::optional<RunResults> run;
  int64_t parameters = 0;
  double training_flops = 0;                                             // counted in the matrix products
  std::optional<double> paper_training_flops, training_flops_by_time{};  // see estimated_training_flops
};

/// The rows of Table 3 in the paper's order. Each run joins the row that has its model and label smoothing; a run that
/// fits no free row gets a row of its own at the end. Throws UsageError if there are no configs in the directory, and
/// Error if a run directory is missing or damaged.
std::vector<Table3Comparison> compare_with_table3(const Table3Sources& sources);

/// A table with a note about its columns.
std::string format_text(const std::vector<Table3Comparison>& rows);
/// A JSON object with the list "rows".
std::string format_json(const std::vector<Table3Comparison>& rows);

}  // namespace transformer
