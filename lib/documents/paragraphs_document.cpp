#include <algorithm>

#include "base/words.h"
#include "documents/document_lines.h"
#include "documents/formats.h"
#include "documents/segment_lines.h"

namespace transformer {
namespace {

bool is_heading(std::string_view line) { return mark_size(line) > 0 && trimmed(line).starts_with('#'); }

/// Whether a line begins an item of a numbered list, such as "2. " behind an item; outside of a list, only "1. " does.
bool is_numbered_item(std::string_view line, bool is_in_list) {
  const std::string_view text = trimmed(line);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool is_item = digits > 0 && is_in(text.substr(digits, 2), {". ", ") "});
  return is_item && (is_in_list || text.substr(0, digits) == "1");
}

class Paragraphs {
 public:
  explicit Paragraphs(std::string bytes) : builder_(std::move(bytes)), lines_(lines_of(builder_.bytes())) {}

  Document read() {
    bool is_in_list = false;
    size_t first = 0;  // line of the segment that ends before line i
    for (size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view line = text_of(i);
      const bool is_item = is_numbered_item(line, is_in_list);
      const bool begins_segment = is_blank(line) || mark_size(line) > 0 || is_item || is_heading(text_of(first));
      if (begins_segment) {
        add_segment(first, i);
        first = is_blank(line) ? i + 1 : i;
      }
      is_in_list = !is_blank(line) && (is_item || is_in_list);
    }
    add_segment(first, lines_.size());
    return builder_.finish(unescaped);
  }

 private:
  std::string_view text_of(size_t line) const { return builder_.bytes(lines_[line].begin, lines_[line].end); }

  void add_segment(size_t first, size_t end_of_lines) {
    if (first == end_of_lines) return;
    const size_t begin = lines_[first].begin + mark_size(text_of(first)), end = lines_[end_of_lines - 1].end;
    SegmentBuilder segment(lines_[first].number);
    segment.add_text(builder_.bytes(begin, end));
    if (segment.has_text()) builder_.replace(begin, end, segment.finish());
  }

  DocumentBuilder builder_;
  const std::vector<DocumentLine> lines_;
};

}  // namespace

Document read_paragraphs(std::string bytes, const DocumentTask&) { return Paragraphs(std::move(bytes)).read(); }

}  // namespace transformer
