#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paper_tables/model_results.h"
#include "paper_tables/paper_tables.h"

namespace transformer {

/// A row of Table 3 with our figures beside the paper's.
struct Table3Comparison : ModelResults {
  Table3Row paper;                             // empty for a run that belongs to no row
  std::optional<double> paper_training_flops;  // see training_flops_by_time
};

/// The rows of Table 3 in the paper's order, then the runs that fit none of them. Throws as `collect_results` does.
std::vector<Table3Comparison> compare_with_table3(const TableSources& sources);

/// A table with a note about its columns.
std::string format_text(const std::vector<Table3Comparison>& rows);
/// A JSON object with the list "rows".
std::string format_json(const std::vector<Table3Comparison>& rows);

}  // namespace transformer
