#include "documents/document.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/segments.h"
#include "base/utf8.h"
#include "base/words.h"
#include "text/sentences.h"

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

bool is_mark(char32_t c) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_P_MASK | U_GC_S_MASK)) != 0; }

/// Whether all of the text is punctuation or symbols.
bool is_punctuation(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return std::all_of(characters.begin(), characters.end(), is_mark);
}

bool has_letter_or_digit(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return std::any_of(characters.begin(), characters.end(),
                     [](char32_t c) { return u_isalnum(static_cast<UChar32>(c)); });
}

/// A word with the punctuation at its ends, as blanks divide it, or a character of a script without blanks.
struct Word {
  size_t begin, end;
  size_t inner_begin, inner_end;  // without the punctuation at its ends, unless it has nothing else
};

/// Moves the inner ends of a word behind and before its punctuation.
void set_inner(Word& word, std::string_view text) {
  const std::u32string characters = decode_utf8(text.substr(word.begin, word.end - word.begin));
  const auto first = std::find_if_not(characters.begin(), characters.end(), is_mark);
  const auto last = std::find_if_not(characters.rbegin(), characters.rend(), is_mark);
  if (first == characters.end()) return;
  word.inner_begin += encode_utf8({characters.begin(), first}).size();
  word.inner_end -= encode_utf8({last.base(), characters.end()}).size();
}

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  bool was_unspaced = false, was_blank = true;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    const bool is_unspaced_here = is_unspaced(decode_utf8(text.substr(i, end - i)).front());
    if (!is_blank(text[i])) {
      if (was_blank || was_unspaced || is_unspaced_here) words.push_back({i, i, i, i});
      words.back().end = words.back().inner_end = end;
    }
    was_blank = is_blank(text[i]);
    was_unspaced = is_unspaced_here;
    i = end;
  }
  for (Word& word : words) set_inner(word, text);
  return words;
}

size_t distance(size_t one, size_t other) { return one > other ? one - other : other - one; }

/// The place of markup in a segment's text, and where in the translation it is expected.
struct MarkupPlace {
  size_t position, next;  // in the source: of the markup, and of the next one, or the text's end
  size_t first, wanted;   // in the translation: behind what is written already, and by proportion
};

/// Finds the places of markup in a translation.
class MarkupPlaces {
 public:
  MarkupPlaces(std::string_view source, std::string_view translation)
      : source_(source), translation_(translation), words_(words_of(translation)) {}

  /// Of a line break, which takes the place of a blank; none without blanks.
  std::optional<size_t> of_line_break(const MarkupPlace& place) const {
    std::optional<size_t> nearest;
    for (size_t blank = translation_.find(' ', place.first); blank != std::string_view::npos;
         blank = translation_.find(' ', blank + 1)) {
      if (!nearest || distance(blank, place.wanted) < distance(*nearest, place.wanted)) nearest = blank;
    }
    return nearest;
  }

  /// Where what surrounds the markup, or follows until the next one, is the same in both texts; else at the word
  /// nearest to the wanted place, before or behind it as in the source.
  size_t of_markup(const MarkupPlace& place, std::string_view bytes) const {
    const auto begin = source_.find_last_of(kBlanks, place.position - 1) + 1,
               end = std::min(source_.find_first_of(kBlanks, place.position), source_.size());
    const std::string_view before = source_.substr(begin, place.position - begin),
                           behind = source_.substr(place.position, end - place.position),
                           enclosed = source_.substr(place.position, place.next - place.position);
    if (const auto same = find_same(source_.substr(begin, end - begin), place, before.size())) return *same;
    if (has_letter_or_digit(enclosed)) {
      if (const auto same = find_same(enclosed, place, 0)) return *same;
    }
    const bool may_begin = !behind.empty() && is_punctuation(before),
               may_end = !before.empty() && is_punctuation(behind);
    const bool begins = may_begin != may_end ? may_begin : bytes.starts_with('<') && !bytes.starts_with("</");
    return begins ? before_word(place, before) : behind_word(place, before, behind);
  }

 private:
  /// The place `offset` bytes behind the begin of the same words in the translation: the nearest that is not far from
  /// the wanted place, or the only one there is.
  std::optional<size_t> find_same(std::string_view words, const MarkupPlace& place, size_t offset) const {
    static constexpr size_t kDistinctive = 4;  // bytes of a word that another language hardly has for something else
    std::optional<size_t> nearest;
    int64_t count = 0;
    if (words.empty()) return nearest;
    for (size_t at = translation_.find(words); at != std::string_view::npos; at = translation_.find(words, at + 1)) {
      const size_t found = at + offset;
      if (found <= place.first || !is_word_at(at, at + words.size())) continue;
      ++count;
      if (!nearest || distance(found, place.wanted) < distance(*nearest, place.wanted)) nearest = found;
    }
    const bool is_only_one = count == 1 && words.size() >= kDistinctive && has_letter_or_digit(words);
    const bool is_near = nearest && distance(*nearest, place.wanted) <= translation_.size() / 2;
    return is_only_one || is_near ? nearest : std::nullopt;
  }

  /// Whether no letter or digit continues the range of the translation.
  bool is_word_at(size_t begin, size_t end) const {
    const auto continues = [&](size_t inside, size_t outside) {
      return outside < translation_.size() && is_alphanumeric(translation_[inside]) &&
             is_alphanumeric(translation_[outside]);
    };
    return !continues(begin, begin - 1) && !continues(end - 1, end);
  }

  /// The place before a word. If the source has a bracket or quotation mark before the markup, it is behind the marks
  /// of a word, and words with some are preferred.
  size_t before_word(const MarkupPlace& place, std::string_view before) const {
    return nearest(place, [&](const Word& word) {
      const bool has_mark = word.inner_begin > word.begin;
      return std::pair(before.empty() ? word.begin : word.inner_begin, has_mark || before.empty());
    });
  }

  /// The place behind a word, before its punctuation. Words with the punctuation that the source has behind the markup
  /// are preferred.
  size_t behind_word(const MarkupPlace& place, std::string_view before, std::string_view behind) const {
    const bool ends_in_mark = !before.empty() && is_mark(decode_utf8(before).back());
    return nearest(place, [&](const Word& word) {
      const bool has_mark = translation_.substr(word.inner_end, word.end - word.inner_end).starts_with(behind);
      return std::pair(ends_in_mark && behind.empty() ? word.end : word.inner_end, has_mark || behind.empty());
    });
  }

  /// The nearest of the places in the words, of which one that does not fit is taken for farther away. What encloses
  /// text encloses some in the translation as well, if there is enough.
  template <class PlaceOf>
  size_t nearest(const MarkupPlace& place, const PlaceOf& place_of) const {
    using Candidate = std::tuple<bool, size_t, size_t>;  // whether nothing is enclosed, the cost, and the place
    Candidate best(true, translation_.size() * 2, translation_.size());
    for (const Word& word : words_) {
      const auto [found, fits] = place_of(word);
      if (found < place.first) continue;
      const size_t cost = distance(found, place.wanted) + (fits ? 0 : translation_.size() / 8);
      best = std::min(best, Candidate(found == place.first, cost, found));
    }
    return std::get<2>(best);
  }

  const std::string_view source_, translation_;
  const std::vector<Word> words_;
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
  const MarkupPlaces places(segment.text, translation);
  std::string result;
  size_t written = 0, source_before = 0;
  for (auto markup = segment.markup.begin(); markup != segment.markup.end(); ++markup) {
    const std::string_view between =
        std::string_view(segment.text).substr(source_before, markup->position - source_before);
    const auto next = std::find_if(markup, segment.markup.end(),
                                   [&](const InlineMarkup& other) { return other.position > markup->position; });
    const MarkupPlace place{markup->position, next == segment.markup.end() ? segment.text.size() : next->position,
                            written, is_blank(between) ? written : matching(markup->position, positions)};
    size_t end = written;
    if (markup->is_line_break) {
      end = places.of_line_break(place).value_or(translation.size());
    } else if (!is_blank(between)) {
      end = places.of_markup(place, markup->bytes);
    } else if (!between.empty()) {
      end = std::min(translation.find_first_not_of(kBlanks, written), translation.size());
    }
    result += escape(translation.substr(written, end - written));
    const bool ends_text = end == translation.size();
    if (!markup->is_line_break || !ends_text) result += markup->bytes;
    written = markup->is_line_break && !ends_text ? end + 1 : end;
    source_before = markup->position + (markup->is_line_break ? 1 : 0);
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
