#include "base/words.h"
#include "documents/document_lines.h"
#include "documents/formats.h"

namespace transformer {

Document read_paragraphs(std::string bytes, const DocumentTask&) {
  DocumentBuilder builder(std::move(bytes));
  const std::vector<DocumentLine> lines = lines_of(builder.bytes());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t first = i;
    while (i < lines.size() && !is_blank(builder.bytes(lines[i].begin, lines[i].end))) ++i;
    if (i == first) continue;
    const size_t begin = lines[first].begin, end = lines[i - 1].end;
    SegmentBuilder paragraph(lines[first].number);
    paragraph.add_text(builder.bytes(begin, end));
    builder.replace(begin, end, paragraph.finish());
  }
  Document document;
  document.parts = builder.finish();
  document.escape = unescaped;
  return document;
}

}  // namespace transformer
