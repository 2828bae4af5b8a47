#include "documents/segment_lines.h"

#include <algorithm>

#include "base/words.h"

namespace transformer {
namespace {

/// Whether blanks between two words divide them.
bool divides(std::string_view blanks, std::string_view behind, DividingBreaks breaks) {
  const auto num_lines =
      std::max(std::count(blanks.begin(), blanks.end(), '\n'), std::count(blanks.begin(), blanks.end(), '\r'));
  if (num_lines == 0 || breaks == DividingBreaks::none) return false;
  const bool is_indented = blanks.ends_with(' ') || blanks.ends_with('\t');
  return breaks == DividingBreaks::all || !is_indented || num_lines > 1 || mark_size(behind) > 0;
}

}  // namespace

size_t mark_size(std::string_view line) {
  static constexpr size_t kMaxLevel = 6;  // of headings
  const size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  const std::string_view mark = line.substr(begin, line.find_first_of(kBlanks, begin) - begin);
  const bool is_heading = mark.size() <= kMaxLevel && mark.find_first_not_of('#') == std::string_view::npos;
  if (mark.empty() || !(is_heading || is_in(mark, {"-", "*", "+", "\u2022"}))) return 0;
  return std::min(line.find_first_not_of(kBlanks, begin + mark.size()), line.size());
}

void SegmentLines::add_text(std::string_view text) {
  if (items_.empty() || items_.back().kind != Kind::text) items_.push_back({Kind::text, ""});
  items_.back().bytes += text;
}

void SegmentLines::add_markup(std::string_view bytes) { items_.push_back({Kind::markup, std::string(bytes)}); }

void SegmentLines::add_line_break(std::string_view bytes) {
  items_.push_back({breaks_ == DividingBreaks::none ? Kind::markup : Kind::line_break, std::string(bytes)});
}

std::vector<SegmentLines::Item> SegmentLines::divided() const {
  std::vector<Item> divided;
  for (const Item& item : items_) {
    if (item.kind != Kind::text) {
      divided.push_back(item);
      continue;
    }
    std::string_view rest = item.bytes;
    for (size_t at = rest.find_first_of("\r\n"); at != std::string_view::npos; at = rest.find_first_of("\r\n", at)) {
      const size_t begin = rest.find_last_not_of(kBlanks, at) + 1,
                   end = std::min(rest.find_first_not_of(kBlanks, at), rest.size());
      at = end;
      if (!divides(rest.substr(begin, end - begin), rest.substr(end), breaks_)) continue;
      if (begin > 0) divided.push_back({Kind::text, std::string(rest.substr(0, begin))});
      divided.push_back({Kind::line_break, std::string(rest.substr(begin, end - begin))});
      rest.remove_prefix(end);
      at = 0;
    }
    if (!rest.empty()) divided.push_back({Kind::text, std::string(rest)});
  }
  return divided;
}

std::vector<SegmentBuilder::Content> SegmentLines::finish() const {
  const std::vector<Item> items = divided();
  const bool has_lines =
      std::any_of(items.begin(), items.end(), [](const Item& item) { return item.kind == Kind::line_break; });
  std::vector<SegmentBuilder::Content> contents;
  SegmentBuilder segment(line_);
  bool is_at_begin = has_lines;  // of a line
  for (const Item& item : items) {
    if (item.kind == Kind::line_break) {
      contents.push_back(segment.finish());
      contents.back().after += item.bytes;
      segment = SegmentBuilder(line_);
      is_at_begin = true;
    } else if (item.kind == Kind::markup) {
      segment.add_markup(item.bytes);
    } else {
      const size_t mark = is_at_begin ? mark_size(item.bytes) : 0;
      if (mark > 0) segment.add_markup(std::string_view(item.bytes).substr(0, mark), MarkupRole::stands_alone);
      segment.add_text(std::string_view(item.bytes).substr(mark));
      is_at_begin = false;
    }
  }
  contents.push_back(segment.finish());
  return contents;
}

}  // namespace transformer
