#include "reporting/text_table.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/utf8.h"

namespace transformer {
namespace {

constexpr size_t kGap = 2;

std::string blanks(size_t length) { return std::string(length, ' '); }

size_t width_of(const TableColumn& column) {
  size_t width = num_characters(column.heading);
  for (const auto& cell : column.cells) width = std::max(width, num_characters(cell));
  return width;
}

/// The widths of a group's columns. If the group's name is wider than all columns together, the first one is widened.
std::vector<size_t> widths_of(const TableGroup& group) {
  std::vector<size_t> widths;
  size_t total = 0;
  for (const auto& column : group.columns) {
    widths.push_back(width_of(column));
    total += widths.back() + kGap;
  }
  if (group.name.size() + kGap > total) widths.front() += group.name.size() + kGap - total;
  return widths;
}

}  // namespace

std::string fixed_cell(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string scientific_cell(std::optional<double> value) { return value ? fmt::format("{:.1e}", *value) : "-"; }

std::string text_table(const std::vector<TableGroup>& groups) {
  const size_t num_rows = groups.at(0).columns.at(0).cells.size();
  std::vector<std::string> lines(2 + num_rows);
  for (const auto& group : groups) {
    const auto widths = widths_of(group);
    const size_t begin = lines[1].size();
    for (size_t c = 0; c < group.columns.size(); ++c) {
      const TableColumn& column = group.columns[c];
      const bool first = lines[1].empty();
      const auto put = [&](std::string& line, const std::string& text) {
        const std::string filling = blanks(widths[c] - num_characters(text));
        if (first) {
          line.append(text).append(filling);
        } else {
          line.append(blanks(kGap)).append(filling).append(text);
        }
      };
      put(lines[1], column.heading);
      for (size_t row = 0; row < num_rows; ++row) put(lines[2 + row], column.cells[row]);
    }
    if (begin > 0) lines[0] += blanks(kGap);
    lines[0] += group.name;
    lines[0] += blanks(lines[1].size() - lines[0].size());
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace transformer
