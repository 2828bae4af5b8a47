#pragma once

#include <optional>
#include <string>
#include <vector>

namespace transformer {

/// A column of a table: its heading, and one cell for each row.
struct TableColumn {
  std::string heading;
  std::vector<std::string> cells;
};

/// A column whose cells `text_of` computes from the rows.
template <class Row, class TextOf>
TableColumn table_column(const std::string& heading, const std::vector<Row>& rows, TextOf text_of) {
  TableColumn column{heading, {}};
  for (const Row& row : rows) column.cells.push_back(text_of(row));
  return column;
}

/// The text of a cell: a number with so many digits after the point, or in scientific notation ("3.3e+18"); "-" if it
/// is unknown.
std::string fixed_cell(std::optional<double> value, int digits);
std::string scientific_cell(std::optional<double> value);

/// Adjacent columns under a common name, which may be empty.
struct TableGroup {
  std::string name;
  std::vector<TableColumn> columns;
};

/// The table as text: a line with the names of the groups, one with the headings, and one for each row, without '\n'
/// after the last. The first column is aligned to the left, the others to the right. All columns must have the same
/// number of cells.
std::string text_table(const std::vector<TableGroup>& groups);

}  // namespace transformer
