#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "base/format.h"
#include "base/formats/character_entities.h"
#include "base/formats/segments.h"
#include "base/words.h"

namespace transformer {
namespace {

/// Reads the segments of a WMT test set in SGML, which need not be well-formed XML.
class SgmlReader : public SegmentReader {
 public:
  void add(std::string_view bytes) override {
    text_ += bytes;
    while (take_next()) {
    }
    if (text_.size() > kMaxSegmentBytes) {
      throw FormatError(line_, "has a segment of more than {} bytes; divide it", with_thousands(kMaxSegmentBytes));
    }
  }

 private:
  void end_file() override {
    if (find("<seg", 0) == std::string::npos) return;
    throw_unfinished();
  }

  [[noreturn]] void throw_unfinished() const {
    throw FormatError(line_, "has a segment without an end; add </seg>, or download the file again");
  }

  /// The position of a tag, in letters of any case.
  size_t find(std::string_view tag, size_t from) const {
    const auto same = [](char one, char other) { return std::tolower(static_cast<unsigned char>(one)) == other; };
    const auto found =
        std::search(text_.begin() + static_cast<ptrdiff_t>(from), text_.end(), tag.begin(), tag.end(), same);
    return found == text_.end() ? std::string::npos : static_cast<size_t>(found - text_.begin());
  }

  /// Takes the text before the next tag, and the segment, comment or other tag that follows. Returns false if more
  /// bytes are needed for that.
  bool take_next() {
    static constexpr std::string_view kComment = "<!--";
    take_outer_text(std::min(text_.find('<'), text_.size()));
    if (text_.size() < kComment.size()) return false;
    const bool is_comment = text_.starts_with(kComment), is_end = text_[1] == '/';
    if (!is_comment && !is_end && std::string_view("!?").find(text_[1]) == std::string_view::npos &&
        std::isalpha(static_cast<unsigned char>(text_[1])) == 0) {
      take_outer_text(1);  // a sign, and no tag
      return true;
    }
    const std::string_view mark = is_comment ? "-->" : ">";
    const size_t last = text_.find(mark);
    if (last == std::string::npos) return false;
    if (is_comment) {
      drop(last + mark.size());
      return true;
    }
    const size_t begin = is_end ? 2 : 1;
    const std::string name = lower_case(text_.substr(begin, text_.find_first_of(" \t\r\n/>", begin) - begin));
    const std::string_view tag = std::string_view(text_).substr(0, last + 1);
    if (name == "seg" && !is_end) return take_segment(tag);
    if (name == "doc") document_ = is_end ? "" : attribute_of(tag, {"docid", "id"});
    note_tag(name, is_end || text_[last - 1] == '/');
    drop(last + 1);
    return true;
  }

  bool take_segment(std::string_view tag) {
    static constexpr std::string_view kEnd = "</seg>";
    const size_t begin = tag.size(), end = find(kEnd, begin);
    if (has_segment_between(begin, end)) throw_unfinished();
    if (end == std::string::npos) return false;
    add_segment(without_entities(std::string_view(text_).substr(begin, end - begin)),
                segment_name(document_, attribute_of(tag, {"id"})));
    drop(end + kEnd.size());
    return true;
  }

  /// Whether another segment begins there.
  bool has_segment_between(size_t begin, size_t end) const {
    static constexpr std::string_view kBegin = "<seg";
    const size_t next = find(kBegin, begin);
    if (next == std::string::npos || next >= end || next + kBegin.size() >= text_.size()) return false;
    return std::string_view(" \t\r\n>").find(text_[next + kBegin.size()]) != std::string_view::npos;
  }

  /// The value of the first of these attributes that the tag has; empty if it has none.
  static std::string attribute_of(std::string_view tag, std::initializer_list<std::string_view> names) {
    const std::string lower = lower_case(tag);
    for (const std::string_view name : names) {
      for (size_t at = lower.find(name); at != std::string::npos; at = lower.find(name, at + 1)) {
        const std::string_view behind = trimmed(tag.substr(at + name.size()));
        if (is_blank(lower[at - 1]) && behind.starts_with('=')) return first_value(trimmed(behind.substr(1)));
      }
    }
    return "";
  }

  /// The value at the beginning of the text, which may be in quotation marks.
  static std::string first_value(std::string_view text) {
    const bool is_quoted = text.starts_with('"') || text.starts_with('\'');
    const size_t end = is_quoted ? text.find(text.front(), 1) : text.find_first_of(" \t\r\n>");
    return std::string(is_quoted ? text.substr(1, end - 1) : text.substr(0, end));
  }

  /// Keeps in mind whether an element is open whose text is no segment, such as the title of a talk.
  void note_tag(const std::string& name, bool closes) {
    const bool holds_segments = is_in(name, {"mteval", "srcset", "refset", "tstset", "doc", "p", "seg"});
    if (holds_segments || (closes && name == described_)) {
      described_.clear();
    } else if (!closes && described_.empty() && !name.empty() && is_alphanumeric(name.front())) {
      described_ = name;
    }
  }

  /// Drops text outside of segments. Throws FormatError if it stands where only segments do.
  void take_outer_text(size_t size) {
    const std::string_view outer = std::string_view(text_).substr(0, size);
    const size_t begin = std::min(outer.find_first_not_of(kBlanks), size);
    drop(begin);
    const std::string_view rest = std::string_view(text_).substr(0, size - begin);
    if (described_.empty() && !rest.empty() && has_letters(without_entities(rest, html_character))) {
      throw FormatError(line_,
                        "has text outside of its segments, though it begins like a test set; put it into <seg>, or, if "
                        "this is plain text with lines of markup, as WikiExtractor writes, remove these lines, for "
                        "example with `grep -v '^</*doc'`");
    }
    drop(rest.size());
  }

  void drop(size_t count) {
    line_ += std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(count), '\n');
    text_.erase(0, count);
  }

  std::string text_;
  int64_t line_ = 1;       // at which text_ begins
  std::string document_;   // the id of the one around the current position
  std::string described_;  // the element with other text around the current position; empty if there is none
};

}  // namespace

std::unique_ptr<SegmentReader> make_sgml_reader() { return std::make_unique<SgmlReader>(); }

}  // namespace transformer
