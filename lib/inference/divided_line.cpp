#include "inference/divided_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/formats/segments.h"
#include "base/splitmix64.h"
#include "base/words.h"

namespace transformer {
namespace {

template <class Element>
void move_behind(std::vector<Element>& all, std::vector<Element>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append(Translation& translation, Translation more, bool are_sentences) {
  if (are_sentences && !translation.text.empty() && !more.text.empty()) {
    translation.text += sentence_separator(translation.text);
  }
  translation.text += more.text;
  translation.score += more.score;
  translation.log_prob += more.log_prob;
  translation.utility.reset();  // which the whole line has not
  translation.reached_limit = translation.reached_limit || more.reached_limit;
  move_behind(translation.tokens, more.tokens);
  move_behind(translation.pieces, more.pieces);
  move_behind(translation.token_log_probs, more.token_log_probs);
}

/// Appends what follows in the same line: sentences with what stands between them.
void append(TranslatedLine& line, TranslatedLine next, bool are_sentences = false) {
  auto& translations = line.translations;
  auto& others = next.translations;
  const size_t count = std::max(translations.size(), others.size());
  while (translations.size() < count) translations.push_back(Translation(translations.back()));
  while (others.size() < count) others.push_back(Translation(others.back()));
  for (size_t n = 0; n < count; ++n) append(translations[n], std::move(others[n]), are_sentences);
  move_behind(line.source_pieces, next.source_pieces);
  move_behind(line.terms, next.terms);
  line.was_cut = line.was_cut || next.was_cut;
  line.was_invalid = line.was_invalid || next.was_invalid;
  line.had_nul = line.had_nul || next.had_nul;
  line.num_unknown += next.num_unknown;
}

TranslatedLine untranslated(std::string_view text) {
  TranslatedLine line;
  line.translations.push_back({std::string(text)});
  return line;
}

/// The sampling key of a part of a line, so that equal parts get different samples. The first one has the line's.
uint64_t key_of_part(uint64_t key, size_t part) { return part == 0 ? key : splitmix64(key ^ splitmix64(part)); }

/// The sentences of what follows the line's tag.
std::vector<TextRange> sentences_of(const SentenceSplitter* splitter, const std::string& line, size_t begin) {
  std::vector<TextRange> sentences;
  if (splitter != nullptr) sentences = splitter->split(std::string_view(line).substr(begin));
  if (sentences.empty()) sentences.push_back({0, line.size() - begin});
  for (TextRange& sentence : sentences) sentence = {sentence.begin + begin, sentence.end + begin};
  return sentences;
}

}  // namespace

DividedLine::DividedLine(const LineDivision& division, const TranslationRequest& line)
    : division_(division), had_nul_(line.text.find('\0') != std::string::npos), seed_(line.seed) {
  const bool in_parts = division.splitter != nullptr || division.placeholders != nullptr;
  text_ = in_parts ? clean_line(line.text) : CleanLine{line.text, false};
  const std::string& text = text_.text;
  tag_ = in_parts ? division.tags.before_part_of(text) : division.tags.before_line(text);
  for (const TextRange& range : sentences_of(division.splitter, text, in_parts ? division.tags.size_in(text) : 0)) {
    requests_.push_back({.text = text.substr(range.begin, range.end - range.begin),
                         .prefix = line.prefix,
                         .sampling_key = key_of_part(line.sampling_key, sentences_.size()),
                         .seed = seed_,
                         .tag = tag_});
    sentences_.push_back({range});
  }
}

void DividedLine::add(std::vector<TranslatedLine> translated) {
  const auto requests = std::exchange(requests_, {});
  const auto is_kept = [this](const Sentence& sentence) {
    return division_.placeholders == nullptr ||
           division_.placeholders->are_kept(source_of(sentence), sentence.translated.best().text);
  };
  if (!has_sentences_) {
    has_sentences_ = true;
    for (size_t i = 0; i < sentences_.size(); ++i) {
      sentences_[i].translated = std::move(translated[i]);
      if (!is_kept(sentences_[i])) cut(sentences_[i], requests[i].sampling_key);
    }
    return;
  }
  auto next = translated.begin();
  for (Sentence& sentence : sentences_) {
    if (sentence.parts.empty()) continue;
    const auto end = next + static_cast<ptrdiff_t>((sentence.parts.size() + 1) / 2);
    join_parts(sentence, {std::make_move_iterator(next), std::make_move_iterator(end)});
    next = end;
    was_cut_ = true;
    lacks_placeholder_ = lacks_placeholder_ || !is_kept(sentence);
  }
}

JoinedLine DividedLine::joined() && {
  JoinedLine joined;
  joined.was_cut = was_cut_;
  joined.lacks_placeholder = lacks_placeholder_;
  TranslatedLine& line = joined.line;
  std::vector<MatchingPositions> positions = {{0, 0}};
  for (Sentence& sentence : sentences_) {
    if (line.translations.empty()) {
      line = std::move(sentence.translated);
      continue;
    }
    const size_t target = line.best().text.size() + sentence_separator(line.best().text).size();
    append(line, std::move(sentence.translated), /*are_sentences=*/true);
    positions.push_back({sentence.range.begin, std::min(target, line.best().text.size())});
  }
  positions.push_back({text_.text.size(), line.best().text.size()});
  line.positions = std::move(positions);
  line.was_invalid = line.was_invalid || text_.was_invalid;
  line.had_nul = line.had_nul || had_nul_;
  return joined;
}

std::string_view DividedLine::source_of(const Sentence& sentence) const {
  return std::string_view(text_.text).substr(sentence.range.begin, sentence.range.end - sentence.range.begin);
}

void DividedLine::cut(Sentence& sentence, uint64_t sampling_key) {
  const std::string_view source = source_of(sentence);
  size_t written = 0;
  for (const TextRange& placeholder : division_.placeholders->find(source)) {
    sentence.parts.push_back({written, placeholder.begin});
    sentence.parts.push_back(placeholder);
    written = placeholder.end;
  }
  if (sentence.parts.empty()) {  // the translation has one that the sentence lacks
    lacks_placeholder_ = true;
    return;
  }
  sentence.parts.push_back({written, source.size()});
  for (size_t i = 0; i < sentence.parts.size(); i += 2) {
    const auto [begin, end] = sentence.parts[i];
    const std::string_view text = source.substr(begin, end - begin);
    requests_.push_back({.text = has_letters(text) ? std::string(text) : "",
                         .sampling_key = key_of_part(~sampling_key, i + 1),
                         .seed = seed_,
                         .tag = tag_});
  }
}

void DividedLine::join_parts(Sentence& sentence, const std::vector<TranslatedLine>& translated) const {
  TranslatedLine whole = untranslated("");
  whole.was_cut = sentence.translated.was_cut;
  whole.was_invalid = sentence.translated.was_invalid;
  whole.had_nul = sentence.translated.had_nul;
  for (size_t i = 0; i < sentence.parts.size(); ++i) {
    const auto [begin, end] = sentence.parts[i];
    const std::string_view text = source_of(sentence).substr(begin, end - begin);
    if (i % 2 == 1 || !has_letters(text)) {
      append(whole, untranslated(text));
      continue;
    }
    // The blanks beside placeholders are those of the source.
    const size_t first = text.find_first_not_of(kBlanks), last = text.find_last_not_of(kBlanks);
    append(whole, untranslated(text.substr(0, first)));
    append(whole, translated[i / 2]);
    append(whole, untranslated(text.substr(last + 1)));
  }
  sentence.translated = std::move(whole);
}

}  // namespace transformer
