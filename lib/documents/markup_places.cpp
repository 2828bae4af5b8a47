#include "documents/markup_places.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "base/words.h"
#include "text/sentences.h"

namespace transformer {
namespace {

bool is_mark(char32_t c) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_P_MASK | U_GC_S_MASK)) != 0; }

/// Whether all of the text is punctuation or symbols.
bool is_punctuation(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return std::all_of(characters.begin(), characters.end(), is_mark);
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
  size_t of_markup(const MarkupPlace& place, MarkupRole role) const {
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
    const bool begins =
        may_begin != may_end && role == MarkupRole::stands_alone ? may_begin : role == MarkupRole::opens;
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

/// Where each markup is by itself, in ascending order.
std::vector<size_t> single_places(const Segment& segment, const MarkupPlaces& places, std::string_view translation,
                                  const std::vector<MatchingPositions>& positions) {
  std::vector<size_t> found;
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
    } else if (markup->position == segment.text.size()) {
      end = translation.size();
    } else if (!is_blank(between)) {
      end = places.of_markup(place, markup->role);
    } else if (!between.empty()) {
      end = std::min(translation.find_first_not_of(kBlanks, written), translation.size());
    }
    found.push_back(end);
    written = markup->is_line_break && end < translation.size() ? end + 1 : end;
    source_before = markup->position + (markup->is_line_break ? 1 : 0);
  }
  return found;
}

/// Moves markup so that each pair that encloses words of the segment encloses one of the translation.
class EnclosedWords {
 public:
  EnclosedWords(const Segment& segment, std::string_view translation, std::vector<size_t> places)
      : segment_(segment),
        translation_(translation),
        words_(words_of(translation)),
        partners_(partners_of(segment.markup)),
        places_(std::move(places)) {
    std::erase_if(words_, [&](const Word& word) {
      return !has_letter_or_digit(translation.substr(word.begin, word.end - word.begin));
    });
  }

  std::vector<size_t> find() && {
    take_next_words();
    take_previous_words();
    return std::move(places_);
  }

 private:
  /// Moves what closes a pair without words behind the next word.
  void take_next_words() {
    size_t first = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      size_t& place = places_[i];
      if (place < first) place = segment_.markup[i].role == MarkupRole::opens ? begin_of_text_behind(first) : first;
      if (closes_words(i) && !has_word(places_[*partners_[i]], place)) {
        const size_t begin = places_[*partners_[i]];
        const auto word =
            std::find_if(words_.begin(), words_.end(), [&](const Word& other) { return other.inner_begin >= begin; });
        if (word != words_.end()) place = std::max(place, word->inner_end);
      }
      first = place;
    }
  }

  /// Where no words were left at the end, moves what opens a pair before the previous word.
  void take_previous_words() {
    size_t last = translation_.size();
    for (size_t i = places_.size(); i-- > 0;) {
      size_t& place = places_[i];
      if (place > last) place = segment_.markup[i].role == MarkupRole::closes ? end_of_text_before(last) : last;
      if (partners_[i] && *partners_[i] > i && closes_words(*partners_[i]) &&
          !has_word(place, places_[*partners_[i]])) {
        const size_t end = places_[*partners_[i]];
        const auto word =
            std::find_if(words_.rbegin(), words_.rend(), [&](const Word& other) { return other.inner_end <= end; });
        if (word != words_.rend()) place = std::min(place, word->inner_begin);
      }
      last = place;
    }
  }

  /// Whether markup closes a pair that encloses words of the segment.
  bool closes_words(size_t i) const {
    if (!partners_[i] || *partners_[i] > i) return false;
    const size_t begin = segment_.markup[*partners_[i]].position;
    return has_letter_or_digit(std::string_view(segment_.text).substr(begin, segment_.markup[i].position - begin));
  }
  bool has_word(size_t begin, size_t end) const {
    return begin < end && has_letter_or_digit(translation_.substr(begin, end - begin));
  }
  size_t begin_of_text_behind(size_t begin) const {
    return std::min(translation_.find_first_not_of(kBlanks, begin), translation_.size());
  }
  size_t end_of_text_before(size_t end) const { return translation_.substr(0, end).find_last_not_of(kBlanks) + 1; }

  const Segment& segment_;
  const std::string_view translation_;
  std::vector<Word> words_;
  const std::vector<std::optional<size_t>> partners_;
  std::vector<size_t> places_;
};

/// What must be equal in the markup that opens and closes a pair: the name of a tag. Markdown's are closed in the
/// order in which they nest, and "<bpt>" is closed by "<ept>".
std::string_view name_of_pair(std::string_view bytes) {
  if (!bytes.starts_with('<')) return "";
  const size_t begin = bytes.starts_with("</") ? 2 : 1;
  const std::string_view name = bytes.substr(begin, bytes.find_first_of(" \t\r\n/>", begin) - begin);
  return name == "ept" ? "bpt" : name;
}

}  // namespace

bool has_letter_or_digit(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return std::any_of(characters.begin(), characters.end(),
                     [](char32_t c) { return u_isalnum(static_cast<UChar32>(c)); });
}

std::vector<std::optional<size_t>> partners_of(const std::vector<InlineMarkup>& markup) {
  std::vector<std::optional<size_t>> partners(markup.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < markup.size(); ++i) {
    if (markup[i].role == MarkupRole::opens) open.push_back(i);
    if (markup[i].role != MarkupRole::closes) continue;
    const auto opened = std::find_if(open.rbegin(), open.rend(), [&](size_t other) {
      return name_of_pair(markup[other].bytes) == name_of_pair(markup[i].bytes);
    });
    if (opened == open.rend()) continue;
    partners[i] = *opened;
    partners[*opened] = i;
    open.erase(std::prev(opened.base()), open.end());
  }
  return partners;
}

std::vector<size_t> places_of_markup(const Segment& segment, std::string_view translation,
                                     const std::vector<MatchingPositions>& positions) {
  std::vector<size_t> places = single_places(segment, MarkupPlaces(segment.text, translation), translation, positions);
  const bool has_line_breaks = std::any_of(segment.markup.begin(), segment.markup.end(),
                                           [](const InlineMarkup& markup) { return markup.is_line_break; });
  return has_line_breaks ? places : EnclosedWords(segment, translation, std::move(places)).find();
}

}  // namespace transformer
