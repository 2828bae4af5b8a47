#include "documents/document.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/segments.h"
#include "base/utf8.h"
#include "text/sentences.h"

namespace transformer {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

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

bool opens_bracket(char c) { return c == '(' || c == '[' || c == '{'; }
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

bool begins_unspaced(std::string_view bytes) { return is_unspaced(decode_utf8(bytes.substr(0, 4)).front()); }

/// The positions in a text at which markup of a kind can stand.
class Boundaries {
 public:
  enum Kind { word_begin, word_end, before_punctuation, blank };

  explicit Boundaries(std::string_view text) {
    size_t last = 0;  // where the previous character begins
    for (size_t i = 1; i <= text.size(); ++i) {
      const bool begins_character = i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
      if (!begins_character) continue;
      if (i < text.size() && text[i] == ' ') positions_[blank].push_back(i);
      const bool is_between = i < text.size() && !is_blank(text[i]) && !is_blank(text[last]) &&
                              (begins_unspaced(text.substr(last)) || begins_unspaced(text.substr(i)));
      if (is_between || (i < text.size() && is_blank(text[last]) && !is_blank(text[i]))) {
        positions_[word_begin].push_back(i);
      }
      if (is_between || i == text.size() || (is_blank(text[i]) && !is_blank(text[last]))) {
        positions_[word_end].push_back(i);
      }
      const bool ends_word = i + 1 >= text.size() || is_blank(text[i + 1]);
      if (i < text.size() && is_punctuation(text[i]) && ends_word && !is_blank(text[last])) {
        positions_[before_punctuation].push_back(i);
      }
      last = i;
    }
    positions_[word_begin].insert(positions_[word_begin].begin(), 0);
  }

  /// The one nearest to `wanted` among those from `first` on, if there are any.
  std::optional<size_t> nearest(Kind kind, size_t wanted, size_t first) const {
    const auto& all = positions_[kind];
    const auto begin = std::lower_bound(all.begin(), all.end(), first);
    if (begin == all.end() && kind == before_punctuation) return nearest(word_end, wanted, first);
    if (begin == all.end()) return {};
    return *std::min_element(begin, all.end(), [&](size_t one, size_t other) {
      const auto distance = [&](size_t position) { return position > wanted ? position - wanted : wanted - position; };
      return distance(one) < distance(other);
    });
  }

 private:
  std::array<std::vector<size_t>, 4> positions_;
};

/// Where a position of the source is in the translation, by proportion between two positions that are known.
size_t matching(size_t position, const std::vector<MatchingPositions>& known) {
  for (size_t i = 1; i < known.size(); ++i) {
    const auto& [source, target] = known[i - 1];
    const auto& [next_source, next_target] = known[i];
    if (position > next_source || next_source <= source) continue;
    return target + (position - source) * (next_target - target) / (next_source - source);
  }
  return known.back().target;
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
  const Boundaries boundaries(translation);
  std::string result;
  size_t written = 0, source_before = 0;
  for (const InlineMarkup& markup : segment.markup) {
    auto kind = Boundaries::word_end;
    if (markup.is_line_break) {
      kind = Boundaries::blank;
    } else if (const char before = segment.text[markup.position - 1]; is_blank(before) || opens_bracket(before)) {
      kind = Boundaries::word_begin;
    } else if (is_punctuation(segment.text[markup.position])) {
      kind = Boundaries::before_punctuation;
    }
    const std::string_view between =
        std::string_view(segment.text).substr(source_before, markup.position - source_before);
    const bool has_text_between = between.find_first_not_of(kBlanks) != std::string_view::npos;
    // What encloses text encloses some in the translation as well, if there is enough.
    const size_t wanted = has_text_between ? matching(markup.position, positions) : written;
    std::optional<size_t> place = boundaries.nearest(kind, wanted, written + (has_text_between ? 1 : 0));
    if (!place) place = boundaries.nearest(kind, wanted, written);
    const size_t end = place.value_or(translation.size());
    result += escape(translation.substr(written, end - written));
    const bool ends_text = end == translation.size();
    if (!markup.is_line_break || !ends_text) result += markup.bytes;
    written = markup.is_line_break && !ends_text ? end + 1 : end;
    source_before = markup.position + (markup.is_line_break ? 1 : 0);
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

void SegmentBuilder::add_markup(std::string_view bytes) { items_.push_back({true, false, std::string(bytes)}); }

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
  std::string& text = segment.text;
  std::string blanks;  // since the last character or markup
  bool keeps_line_breaks = false;
  const auto add_blanks = [&] {
    if (blanks.empty()) return;
    const bool breaks = blanks.find_first_of("\r\n") != std::string::npos;
    if (breaks && !keeps_line_breaks) blanks = " ";
    const bool follows_markup = !segment.markup.empty() && segment.markup.back().position == text.size();
    if (follows_markup && is_blank(text.back())) {
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
      if (text.empty()) {
        content.before += blanks + item.bytes;
        blanks.clear();
        continue;
      }
      // A blank before markup belongs to the text; one behind it only if there is none before.
      add_blanks();
      segment.markup.push_back({text.size(), item.bytes});
      continue;
    }
    keeps_line_breaks = item.keeps_line_breaks;
    for (const char c : item.bytes) {
      if (is_blank(c)) {
        blanks += c;
        continue;
      }
      if (text.empty()) {
        content.before += blanks;
        blanks.clear();
      } else {
        add_blanks();
      }
      text += c;
    }
  }
  // What stands behind the last character is not inside the text.
  const size_t last = text.find_last_not_of(kBlanks);
  const std::string blanks_behind = text.substr(last + 1);
  text.resize(last + 1);
  size_t num_inside = segment.markup.size();
  while (num_inside > 0 && segment.markup[num_inside - 1].position >= text.size()) --num_inside;
  size_t written = text.size();
  for (size_t i = num_inside; i < segment.markup.size(); ++i) {
    const InlineMarkup& markup = segment.markup[i];
    content.after += blanks_behind.substr(written - text.size(), markup.position - written) + markup.bytes;
    written = markup.position + (markup.is_line_break ? 1 : 0);
  }
  content.after += blanks_behind.substr(written - text.size()) + blanks;
  segment.markup.resize(num_inside);
  return content;
}

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

std::vector<DocumentPart> DocumentBuilder::finish() {
  std::vector<DocumentPart> parts(1);
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
  return parts;
}

}  // namespace transformer
