#pragma once

#include <string>
#include <vector>

#include "paper_tables/comparison.h"
#include "paper_tables/paper_tables.h"

namespace transformer {

using Table2Comparison = Comparison<Table2Row>;

/// See `compare`.
std::vector<Table2Comparison> compare_with_table2(const TableSources& sources);

/// A table with a note about its columns.
std::string format_text(const std::vector<Table2Comparison>& rows);
/// See json_of_rows.
std::string format_json(const std::vector<Table2Comparison>& rows);

}  // namespace transformer
