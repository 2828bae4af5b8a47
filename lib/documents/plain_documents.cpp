#include <algorithm>
#include <regex>

#include "base/utf8.h"
#include "documents/formats.h"
#include "documents/markup_tag.h"

namespace transformer {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string as_it_is(std::string_view text) { return std::string(text); }

/// A line of a document, and with its end.
struct Line {
  size_t begin, end, next;
  int64_t number;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (size_t begin = text.size() - without_byte_order_mark(text).size(); begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t next = std::min(end + 1, text.size());
    lines.push_back(
        {begin, end > begin && text[end - 1] == '\r' ? end - 1 : end, next, static_cast<int64_t>(lines.size()) + 1});
    begin = next;
  }
  return lines;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(kBlanks) == std::string_view::npos; }

/// Adds a line of subtitles, in which "<i>" and "{\an8}" are markup.
void add_subtitle(SegmentBuilder& segment, std::string_view text) {
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = 0;
    if (text[i] == '<') end = tag_at(text, i).end;
    if (text.substr(i).starts_with("{\\")) end = text.find('}', i) + 1;
    if (end == 0) continue;
    segment.add_text(text.substr(begin, i - begin), /*keep_line_breaks=*/true);
    segment.add_markup(text.substr(i, end - i));
    begin = end;
    i = end - 1;
  }
  segment.add_text(text.substr(begin), /*keep_line_breaks=*/true);
}

}  // namespace

Document read_paragraphs(std::string bytes, const DocumentTask&) {
  DocumentBuilder builder(std::move(bytes));
  const std::vector<Line> lines = lines_of(builder.bytes());
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
  document.escape = as_it_is;
  return document;
}

Document read_subtitles(std::string bytes, const DocumentTask&) {
  DocumentBuilder builder(std::move(bytes));
  const std::vector<Line> lines = lines_of(builder.bytes());
  const auto text_of = [&](const Line& line) { return builder.bytes(line.begin, line.end); };
  const auto begins_speech = [&](const Line& line) { return text_of(line).starts_with('-'); };
  const auto add = [&](size_t first, size_t last) {  // lines of a cue that are one segment
    SegmentBuilder segment(lines[first].number);
    const size_t begin = lines[first].begin, end = lines[last].end;
    const size_t dash = begins_speech(lines[first]) ? 1 : 0;
    segment.add_markup(builder.bytes(begin, begin + dash));
    add_subtitle(segment, builder.bytes(begin + dash, end));
    builder.replace(begin, end, segment.finish());
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (text_of(lines[i]).find("-->") == std::string_view::npos) continue;
    const size_t first = i + 1;
    size_t last = first;
    while (last < lines.size() && !is_blank(text_of(lines[last]))) ++last;
    // A dash begins what another person says.
    for (size_t begin = first; begin < last;) {
      size_t end = begin + 1;
      while (end < last && !begins_speech(lines[end])) ++end;
      add(begin, end - 1);
      begin = end;
    }
    i = last;
  }
  Document document;
  document.parts = builder.finish();
  document.escape = as_it_is;
  return document;
}

}  // namespace transformer
