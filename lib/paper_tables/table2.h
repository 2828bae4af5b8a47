#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paper_tables/model_results.h"
#include "paper_tables/paper_tables.h"

namespace transformer {

/// A row of Table 2 with our figures beside the paper's.
struct Table2Comparison {
  std::string name;                  // the paper's row, or a run directory that belongs to none
  Table2Row paper;                   // empty for such a run
  std::optional<ModelResults> ours;  // missing for a system of others
};

/// The rows of Table 2 in the paper's order, then the runs that fit none of them. Throws as `collect_results` does.
std::vector<Table2Comparison> compare_with_table2(const TableSources& sources);

/// A table with a note about its columns.
std::string format_text(const std::vector<Table2Comparison>& rows);
/// A JSON object with the list "rows".
std::string format_json(const std::vector<Table2Comparison>& rows);

}  // namespace transformer
