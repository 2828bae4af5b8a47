#pragma once

#include <string>
#include <vector>

namespace transformer {

/// A column of a table: its heading, and a cell for each row.
struct TableColumn {
  std::string heading;
  std::vector<std::string> cells;
};

/// Columns that stand together under a name, which may be empty.
struct TableGroup {
  std::string name;
  std::vector<TableColumn> columns;
};

/// The table as lines of text: the groups' names, the headings, the rows. The first column is flush left, the others
/// flush right; every column has the same number of cells.
std::vector<std::string> text_table(const std::vector<TableGroup>& groups);

}  // namespace transformer
