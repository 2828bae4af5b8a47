#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paper_tables/comparison.h"
#include "paper_tables/paper_tables.h"

namespace transformer {

/// Each row has results of ours, also without a run: the costs of its config.
using Table3Comparison = Comparison<Table3Row>;

/// See `compare`.
std::vector<Table3Comparison> compare_with_table3(const TableSources& sources);

/// The training FLOPs of the paper's model (see training_flops_by_time) if the paper gives the time.
std::optional<double> paper_training_flops(const Table3Row& paper);

/// A table with a note about its columns.
std::string format_text(const std::vector<Table3Comparison>& rows);
/// See json_of_rows.
std::string format_json(const std::vector<Table3Comparison>& rows);

}  // namespace transformer
