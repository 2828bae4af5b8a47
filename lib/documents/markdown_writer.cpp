#include "documents/markdown_writer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <optional>

#include "base/words.h"
#include "documents/markup_places.h"
#include "text/sentences.h"
#include "text/word_boundary.h"

namespace transformer {
namespace {

class MarkdownWriter {
 public:
  MarkdownWriter(const Segment& segment, std::string_view translation, const std::vector<size_t>& places, Escape escape)
      : segment_(segment),
        translation_(translation),
        places_(places),
        partners_(partners_of(segment.markup)),
        escape_(escape) {}

  std::string write() && {
    size_t written = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      add_text(translation_.substr(written, places_[i] - written));
      written = places_[i];
      if (!is_empty_pair(i)) {
        add_markup(i);
      } else if (is_link(i)) {
        if (segment_.markup[i].role == MarkupRole::closes) add_text(enclosed_words(i));
        add_markup(i);
      }
    }
    add_text(translation_.substr(written));
    result_.resize(result_.find_last_not_of(kBlanks) + 1);
    return std::move(result_);
  }

 private:
  /// Whether markup belongs to a pair that encloses words in the segment, and nothing in the translation.
  bool is_empty_pair(size_t i) const {
    if (!partners_[i]) return false;
    const size_t begin = std::min(i, *partners_[i]), end = std::max(i, *partners_[i]);
    const bool encloses_markup = std::any_of(
        segment_.markup.begin() + static_cast<ptrdiff_t>(begin), segment_.markup.begin() + static_cast<ptrdiff_t>(end),
        [](const InlineMarkup& markup) { return markup.role == MarkupRole::stands_alone; });
    return !encloses_markup && has_letter_or_digit(enclosed_words(i)) &&
           is_blank(translation_.substr(places_[begin], places_[end] - places_[begin]));
  }

  /// The words of the segment between both ends of a pair.
  std::string_view enclosed_words(size_t i) const {
    const auto [begin, end] = std::minmax(segment_.markup[i].position, segment_.markup[*partners_[i]].position);
    return trimmed(std::string_view(segment_.text).substr(begin, end - begin));
  }

  bool is_link(size_t i) const {
    const std::string_view opening = segment_.markup[std::min(i, *partners_[i])].bytes;
    return opening.starts_with('[') || opening.starts_with("![");
  }

  void add_text(std::string_view text) {
    if (text.empty()) return;
    const bool follows_opening = last_ && segment_.markup[*last_].role == MarkupRole::opens;
    if (is_at_blank() || follows_opening) text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::string bytes = escape_(text);
    if (last_ && !bytes.empty() && !is_at_blank() && needs_blank_behind(*last_, bytes)) result_ += ' ';
    result_ += bytes;
    if (!bytes.empty()) last_.reset();
  }

  void add_markup(size_t i) {
    std::string_view bytes = segment_.markup[i].bytes;
    const bool closes_behind_blank = segment_.markup[i].role == MarkupRole::closes && is_at_blank();
    if (closes_behind_blank) result_.resize(result_.find_last_not_of(kBlanks) + 1);
    const bool needs_blank = last_ ? needs_blank_between(*last_, i) : needs_blank_before(i);
    if (needs_blank && !result_.empty() && !is_at_blank() && !is_blank(bytes.front())) result_ += ' ';
    if (is_at_blank()) bytes.remove_prefix(std::min(bytes.find_first_not_of(kBlanks), bytes.size()));
    result_ += bytes;
    if (closes_behind_blank) result_ += ' ';
    last_ = i;
  }

  bool is_at_blank() const { return !result_.empty() && is_blank(result_.back()); }

  /// Between two pieces of markup that the segment has not side by side.
  bool needs_blank_between(size_t one, size_t other) const {
    const InlineMarkup &before = segment_.markup[one], &behind = segment_.markup[other];
    return before.position != behind.position && before.role != MarkupRole::opens && behind.role != MarkupRole::closes;
  }

  /// Between text and the markup behind it.
  bool needs_blank_before(size_t i) const {
    const InlineMarkup& markup = segment_.markup[i];
    if (result_.empty() || markup.role == MarkupRole::closes) return false;
    const bool is_bracket = markup.bytes.starts_with('[');
    if (is_bracket && result_.back() == '!') return true;
    if (!ends_in_word(result_) || ((is_bracket || markup.bytes.starts_with('`')) && ends_unspaced(result_))) {
      return false;
    }
    return !ends_in_word(std::string_view(segment_.text).substr(0, markup.position)) || begins_with_mark(i);
  }

  /// Between markup and the text behind it.
  bool needs_blank_behind(size_t i, std::string_view text) const {
    const InlineMarkup& markup = segment_.markup[i];
    if (markup.role == MarkupRole::opens) return false;
    if (markup.bytes.ends_with(']') && text.starts_with('(')) return true;
    if (!begins_with_word(text)) return false;
    if (is_in(markup.bytes.substr(markup.bytes.size() - 1), {")", "]", "`"}) && begins_unspaced(text)) return false;
    return !is_before_word(i) || follows_mark(i);
  }

  /// Whether the segment has a word directly behind markup.
  bool is_before_word(size_t i) const {
    const size_t position = segment_.markup[i].position;
    for (; i < segment_.markup.size() && segment_.markup[i].position == position; ++i) {
      if (is_blank(segment_.markup[i].bytes.back())) return false;
    }
    return begins_with_word(std::string_view(segment_.text).substr(position));
  }

  /// Whether the text behind "**" and the like begins with a mark, so that no letter may stand before it.
  bool begins_with_mark(size_t i) const {
    if (segment_.markup[i].role != MarkupRole::opens) return false;
    if (i + 1 < places_.size() && places_[i + 1] == places_[i]) return true;
    return !begins_with_word(translation_.substr(places_[i]));
  }
  bool follows_mark(size_t i) const {
    if (segment_.markup[i].role != MarkupRole::closes) return false;
    if (i > 0 && places_[i - 1] == places_[i]) return true;
    return !ends_in_word(translation_.substr(0, places_[i]));
  }

  static bool is_letter_or_digit(char32_t c) { return u_isalnum(static_cast<UChar32>(c)) != 0; }
  static bool begins_with_word(std::string_view text) { return is_letter_or_digit(first_character(text)); }
  static bool ends_in_word(std::string_view text) { return is_letter_or_digit(last_character(text)); }
  static bool begins_unspaced(std::string_view text) { return is_unspaced(first_character(text)); }
  static bool ends_unspaced(std::string_view text) { return is_unspaced(last_character(text)); }

  const Segment& segment_;
  const std::string_view translation_;
  const std::vector<size_t>& places_;
  const std::vector<std::optional<size_t>> partners_;
  const Escape escape_;
  std::string result_;
  std::optional<size_t> last_;  // the markup at the end of the result
};

}  // namespace

std::string with_markdown(const Segment& segment, std::string_view translation, const std::vector<size_t>& places,
                          Escape escape) {
  return MarkdownWriter(segment, translation, places, escape).write();
}

}  // namespace transformer
