#pragma once

#include <string>
#include <vector>

namespace transformer {

/// A column of a table: its heading, and one cell for each row.
struct TableColumn {
  std::string heading;
  std::vector<std::string> cells;
};

/// Adjacent columns under a common name, which may be empty.
struct TableGroup {
  std::string name;
  std::vector<TableColumn> columns;
};

/// The table as lines of text: the names of the groups, the headings, the rows. The first column is aligned to the
/// left, the others to the right. All columns must have the same number of cells.
std::vector<std::string> text_table(const std::vector<TableGroup>& groups);

}  // namespace transformer
