#include "documents/document.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/formats/segments.h"
#include "base/words.h"
#include "documents/markdown_writer.h"
#include "documents/markup_places.h"

namespace transformer {
namespace {

/// Whether the text has a character that is neither a blank, such as U+00A0, nor invisible, as U+200B and U+FEFF are.
bool has_visible(std::string_view text) {
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t i = 0; i < size;) {
    UChar32 c = 0;
    U8_NEXT(text.data(), i, size, c);
    if (!u_isUWhiteSpace(c) && !u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) return true;
  }
  return false;
}

/// The role of a tag, or of an element with its content, in HTML and XML. Only `<bpt>` and `<ept>` of TMX and XLIFF
/// open and close with their content.
MarkupRole role_of_tag(std::string_view bytes) {
  if (bytes.starts_with("</") || bytes.starts_with("<ept")) return MarkupRole::closes;
  if (bytes.starts_with("<bpt")) return MarkupRole::opens;
  const bool is_start_tag = bytes.starts_with('<') && !bytes.starts_with("<!") && !bytes.starts_with("<?") &&
                            !bytes.ends_with("/>") && bytes.find('<', 1) == std::string_view::npos;
  return is_start_tag ? MarkupRole::opens : MarkupRole::stands_alone;
}

/// Moves markup before the text to `before`, and what stands behind it to `after`, but for pairs that begin or end
/// inside, and, of Markdown, what the text is directly beside.
void take_outer_markup(SegmentBuilder::Content& content) {
  std::vector<InlineMarkup>& markup = content.segment->markup;
  const size_t size = content.segment->text.size();
  const auto partners = partners_of(markup);
  const auto is_at_end = [&](size_t i) { return markup[i].position == 0 || markup[i].position == size; };
  const auto is_beside_text = [&](size_t i) {
    if (!content.segment->is_markdown || markup[i].role != MarkupRole::stands_alone) return false;
    if (markup[i].position == size) {
      return (i == 0 || markup[i - 1].position < size) && !is_blank(markup[i].bytes.front());
    }
    return (i + 1 == markup.size() || markup[i + 1].position > 0) && !is_blank(markup[i].bytes.back());
  };
  const auto is_inside = [&](size_t i) {
    return !is_at_end(i) || (partners[i] && !is_at_end(*partners[i])) || is_beside_text(i);
  };
  size_t first = 0, end = markup.size();
  while (first < end && markup[first].position == 0 && !is_inside(first)) content.before += markup[first++].bytes;
  while (end > first && markup[end - 1].position == size && !is_inside(end - 1)) --end;
  std::string after;
  for (size_t i = end; i < markup.size(); ++i) after += markup[i].bytes;
  content.after = after + content.after;
  markup = {markup.begin() + static_cast<ptrdiff_t>(first), markup.begin() + static_cast<ptrdiff_t>(end)};
}

}  // namespace

std::vector<const Segment*> Document::segments() const {
  std::vector<const Segment*> all;
  for (const DocumentPart& part : parts) {
    if (part.segment) all.push_back(&*part.segment);
  }
  return all;
}

std::string with_markup(const Segment& segment, std::string_view translation,
                        const std::vector<MatchingPositions>& positions, Escape escape) {
  if (segment.markup.empty()) return escape(translation);
  const std::vector<size_t> places = places_of_markup(segment, translation, positions);
  if (segment.is_markdown) return with_markdown(segment, translation, places, escape);
  std::string result;
  size_t written = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const InlineMarkup& markup = segment.markup[i];
    result += escape(translation.substr(written, places[i] - written));
    const bool ends_text = places[i] == translation.size();
    if (!markup.is_line_break || !ends_text) result += markup.bytes;
    written = places[i] + (markup.is_line_break && !ends_text ? 1 : 0);
  }
  return result + escape(translation.substr(written));
}

void SegmentBuilder::add_text(std::string_view text, bool keep_line_breaks) {
  size_ += text.size();
  if (size_ > kMaxSegmentBytes) {
    throw FormatError(line_, "has a segment of more than {} bytes; divide it", with_thousands(kMaxSegmentBytes));
  }
  const bool continues = !items_.empty() && !items_.back().is_markup;
  if (continues && items_.back().keeps_line_breaks == keep_line_breaks) {
    items_.back().bytes += text;
  } else {
    items_.push_back({false, keep_line_breaks, std::string(text)});
  }
}

void SegmentBuilder::add_markup(std::string_view bytes) { add_markup(bytes, role_of_tag(bytes)); }

void SegmentBuilder::add_markup(std::string_view bytes, MarkupRole role) {
  items_.push_back({true, false, std::string(bytes), role});
}

bool SegmentBuilder::has_text() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Item& item) { return !item.is_markup && has_visible(item.bytes); });
}

SegmentBuilder::Content SegmentBuilder::finish() const {
  Content content;
  if (!has_text()) {
    for (const Item& item : items_) content.before += item.bytes;
    return content;
  }
  Segment& segment = content.segment.emplace();
  segment.line = line_;
  segment.is_markdown = is_markdown_;
  std::string& text = segment.text;
  std::string blanks;  // since the last character or markup
  bool keeps_line_breaks = false;
  const auto add_blanks = [&] {
    if (blanks.empty()) return;
    const bool breaks = !text.empty() && blanks.find_first_of("\r\n") != std::string::npos;
    if (breaks && !keeps_line_breaks) blanks = " ";
    const bool follows_markup = !segment.markup.empty() && segment.markup.back().position == text.size();
    if (text.empty()) {
      (follows_markup ? segment.markup.back().bytes : content.before) += blanks;
    } else if (follows_markup && is_blank(text.back())) {
      // The text has the blank before the markup; another one would be lost in the translation.
      segment.markup.back().bytes += blanks;
    } else if (breaks && keeps_line_breaks) {
      segment.markup.push_back({text.size(), blanks, /*is_line_break=*/true});
      text += ' ';
    } else {
      text += blanks;
    }
    blanks.clear();
  };
  for (const Item& item : items_) {
    if (item.is_markup) {
      // A blank before markup belongs to the text; one behind it only if there is none before.
      add_blanks();
      segment.markup.push_back({text.size(), item.bytes, /*is_line_break=*/false, item.role});
      continue;
    }
    keeps_line_breaks = item.keeps_line_breaks;
    for (const char c : item.bytes) {
      if (is_blank(c)) {
        blanks += c;
        continue;
      }
      add_blanks();
      text += c;
    }
  }
  // What stands behind the last character is not inside the text.
  const size_t last = text.find_last_not_of(kBlanks);
  const std::string blanks_behind = text.substr(last + 1);
  text.resize(last + 1);
  size_t written = text.size();
  for (InlineMarkup& markup : segment.markup) {
    if (markup.position < text.size()) continue;
    const size_t next = markup.position + (markup.is_line_break ? 1 : 0);
    markup.bytes = blanks_behind.substr(written - text.size(), markup.position - written) + markup.bytes;
    markup.position = text.size();
    markup.is_line_break = false;
    written = next;
  }
  content.after = blanks_behind.substr(written - text.size()) + blanks;
  take_outer_markup(content);
  return content;
}

std::string unescaped(std::string_view text) { return std::string(text); }

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 && !is_blank(c);
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else {
      escaped += is_control ? ' ' : c;
    }
  }
  return escaped;
}

void DocumentBuilder::replace(size_t begin, size_t end, std::string bytes) {
  replace(begin, end, SegmentBuilder::Content{std::move(bytes), {}, ""});
}

void DocumentBuilder::replace(size_t begin, size_t end, SegmentBuilder::Content content) {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), begin,
                                     [](size_t position, const Change& change) { return position < change.begin; });
  changes_.insert(next, {begin, end, std::move(content)});
}

void DocumentBuilder::replace(size_t begin, size_t end, std::vector<SegmentBuilder::Content> contents) {
  for (SegmentBuilder::Content& content : contents) {
    replace(begin, end, std::move(content));
    begin = end;
  }
}

Document DocumentBuilder::finish(Escape escape, Document document) {
  std::vector<DocumentPart>& parts = document.parts;
  parts.resize(1);
  size_t written = 0;
  for (Change& change : changes_) {
    parts.back().verbatim += bytes(written, change.begin);
    parts.back().verbatim += change.content.before;
    if (change.content.segment) {
      parts.back().segment = std::move(change.content.segment);
      parts.emplace_back();
    }
    parts.back().verbatim += change.content.after;
    written = change.end;
  }
  parts.back().verbatim += bytes(written, bytes_.size());
  changes_.clear();
  document.escape = escape;
  return document;
}

}  // namespace transformer
