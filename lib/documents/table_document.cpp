#include <algorithm>

#include "base/format.h"
#include "base/formats/segments.h"
#include "base/parameter_error.h"
#include "base/parse_number.h"
#include "documents/document_lines.h"
#include "documents/formats.h"

namespace transformer {
namespace {

/// A translation has no tabs, which would begin another column.
std::string without_tabs(std::string_view text) {
  std::string cell(text);
  std::replace(cell.begin(), cell.end(), '\t', ' ');
  return cell;
}

}  // namespace

Document read_tsv_document(std::string bytes, const DocumentTask& task) {
  const auto from = parse_number<size_t>(task.part), into = parse_number<size_t>(task.into);
  if (!from || *from == 0) {
    throw ParameterError("{}: has columns; name the one to translate, as in {}#1", task.file, task.path);
  }
  if (!into || *into == 0 || *into == *from) {
    throw ParameterError("'into': {} has columns; give the number of another one than {} for the translations",
                         task.file, *from);
  }
  DocumentBuilder builder(std::move(bytes));
  const std::string& text = builder.bytes();
  for (const auto& [begin, end, next, line] : lines_of(text)) {
    std::vector<std::pair<size_t, size_t>> cells;
    for (size_t cell = begin; cell <= end;) {
      const size_t tab = std::min(text.find('\t', cell), end);
      cells.emplace_back(cell, tab);
      cell = tab + 1;
    }
    if (cells.size() == 1 && cells.front().first == cells.front().second) continue;
    if (*from > cells.size() || *into > cells.size() + 1) {
      throw FormatError(line, "has only {}; separate the columns by tabs, or give other numbers of columns",
                        counted(static_cast<int64_t>(cells.size()), "column"));
    }
    SegmentBuilder segment(line);
    segment.add_text(builder.bytes(cells[*from - 1].first, cells[*from - 1].second));
    SegmentBuilder::Content content = segment.finish();
    if (*into == cells.size() + 1) {
      content.before = "\t" + content.before;
      builder.replace(end, end, std::move(content));
    } else {
      builder.replace(cells[*into - 1].first, cells[*into - 1].second, std::move(content));
    }
  }
  return builder.finish(without_tabs);
}

}  // namespace transformer
