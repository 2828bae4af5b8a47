#include <algorithm>

#include "base/utf8.h"
#include "base/words.h"
#include "documents/document_lines.h"
#include "documents/formats.h"
#include "documents/markup_tag.h"

namespace transformer {
namespace {

/// Whether a line has the times of a cue, as in "00:00:01,000 --> 00:00:02,000".
bool has_times(std::string_view line) {
  const size_t arrow = line.find("-->");
  if (arrow == std::string_view::npos) return false;
  const std::string_view begin = trimmed(line.substr(0, arrow));
  return begin.find(':') != std::string_view::npos &&
         begin.find_first_not_of("0123456789:,.- ") == std::string_view::npos;
}

bool is_number(std::string_view line) {
  const std::string_view number = trimmed(line);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The size of the markup with which a text begins, such as "<i>", "<00:00:01.500>" or "{\\an8}"; 0 if there is none.
size_t markup_size(std::string_view text) {
  if (text.starts_with("{\\")) return text.find('}') + 1;
  if (!text.starts_with('<')) return 0;
  if (const size_t end = tag_at(text, 0).end; end > 0) return end;
  const size_t end_of_time = text.find_first_not_of("0123456789:.", 1);
  return end_of_time != std::string_view::npos && end_of_time > 1 && text[end_of_time] == '>' ? end_of_time + 1 : 0;
}

/// The size of the dash with which a line begins that another person says, and of the markup before it; 0 for another
/// line.
size_t size_of_dash(std::string_view line) {
  size_t at = 0;
  while (at < line.size()) {
    const size_t size = is_blank(line[at]) ? 1 : markup_size(line.substr(at));
    if (size == 0) break;
    at += size;
  }
  for (const std::string_view dash : {"-", "\u2010", "\u2011", "\u2013", "\u2014", "\u2015"}) {
    if (line.substr(at).starts_with(dash)) return at + dash.size();
  }
  return 0;
}

class SubtitlesDocument {
 public:
  explicit SubtitlesDocument(std::string bytes)
      : builder_(std::move(bytes)),
        is_web_(without_byte_order_mark(builder_.bytes()).starts_with("WEBVTT")),
        lines_(lines_of(builder_.bytes())) {}

  Document read() {
    bool is_in_cue = false;
    size_t first = 0;  // line of the segment that ends before line i
    for (size_t i = 0; i < lines_.size(); ++i) {
      const bool is_blank_line = is_blank(text_of(i)), begins_cue = has_times(text_of(i));
      const bool is_text = is_in_cue && !is_blank_line && !begins_cue && !is_number_of_cue(i);
      if (!is_text || size_of_dash(text_of(i)) > 0) {
        add_segment(first, i);
        first = is_text ? i : i + 1;
      }
      // Notes may follow the cues of WebVTT.
      is_in_cue = begins_cue || (is_in_cue && !(is_web_ && is_blank_line));
    }
    add_segment(first, lines_.size());
    return builder_.finish(is_web_ ? escape_xml : unescaped);
  }

 private:
  std::string_view text_of(size_t line) const { return builder_.bytes(lines_[line].begin, lines_[line].end); }

  /// Whether the line is the number of the cue that begins behind it.
  bool is_number_of_cue(size_t line) const {
    if (!is_number(text_of(line))) return false;
    do {
      ++line;
    } while (line < lines_.size() && is_blank(text_of(line)));
    return line < lines_.size() && has_times(text_of(line));
  }

  void add_segment(size_t first, size_t end_of_lines) {
    if (first == end_of_lines) return;
    const size_t begin = lines_[first].begin, end = lines_[end_of_lines - 1].end;
    const size_t begin_of_text = begin + size_of_dash(text_of(first));
    SegmentBuilder segment(lines_[first].number);
    segment.add_markup(builder_.bytes(begin, begin_of_text));
    add_text(segment, builder_.bytes(begin_of_text, end));
    if (segment.has_text()) builder_.replace(begin, end, segment.finish());
  }

  void add_text(SegmentBuilder& segment, std::string_view text) const {
    while (!text.empty()) {
      const size_t markup = markup_size(text);
      const size_t end = markup > 0 ? markup : std::min(text.find_first_of("<{", 1), text.size());
      if (markup > 0) {
        segment.add_markup(text.substr(0, end));
      } else if (is_web_) {
        add_html_text(segment, text.substr(0, end), /*keep_line_breaks=*/true);
      } else {
        segment.add_text(text.substr(0, end), /*keep_line_breaks=*/true);
      }
      text.remove_prefix(end);
    }
  }

  DocumentBuilder builder_;
  const bool is_web_;  // WebVTT, which has entities
  const std::vector<DocumentLine> lines_;
};

}  // namespace

Document read_subtitles(std::string bytes, const DocumentTask&) { return SubtitlesDocument(std::move(bytes)).read(); }

}  // namespace transformer
