#include "inference/part_translator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/formats/segments.h"
#include "base/splitmix64.h"
#include "base/words.h"
#include "text/clean_line.h"

namespace transformer {
namespace {

/// Appends the best translation of what follows in the same line.
void append(TranslatedLine& line, TranslatedLine next, const std::string& separator) {
  Translation& translation = line.translations.front();
  Translation& more = next.translations.front();
  if (!translation.text.empty() && !more.text.empty()) translation.text += separator;
  translation.text += more.text;
  translation.score += more.score;
  translation.log_prob += more.log_prob;
  translation.reached_limit = translation.reached_limit || more.reached_limit;
  const auto move_behind = [](auto& all, auto& others) {
    all.insert(all.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  };
  move_behind(translation.tokens, more.tokens);
  move_behind(translation.pieces, more.pieces);
  move_behind(translation.token_log_probs, more.token_log_probs);
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

}  // namespace

std::vector<TextRange> PartTranslator::sentences_of(const std::string& line, size_t begin) const {
  std::vector<TextRange> sentences;
  if (splitter_ != nullptr) sentences = splitter_->split(std::string_view(line).substr(begin));
  if (sentences.empty()) sentences.push_back({0, line.size() - begin});
  for (TextRange& sentence : sentences) sentence = {sentence.begin + begin, sentence.end + begin};
  return sentences;
}

std::vector<JoinedLine> PartTranslator::translate(const std::vector<TranslationRequest>& lines,
                                                  const std::function<void(int64_t num_lines)>& on_progress) const {
  const bool in_parts = splitter_ != nullptr || placeholders_ != nullptr;
  std::vector<TranslationRequest> requests;
  std::vector<std::vector<TextRange>> sentences;
  std::vector<CleanLine> texts;
  std::vector<std::vector<TokenId>> tags;  // of the lines
  for (const TranslationRequest& line : lines) {
    const std::string& text = texts.emplace_back(in_parts ? clean_line(line.text) : CleanLine{line.text, false}).text;
    const auto& tag = tags.emplace_back(in_parts ? tags_.before_part_of(text) : tags_.before_line(text));
    size_t part = 0;
    for (const auto& [begin, end] : sentences.emplace_back(sentences_of(text, in_parts ? tags_.size_in(text) : 0))) {
      requests.push_back({.text = text.substr(begin, end - begin),
                          .prefix = line.prefix,
                          .sampling_key = key_of_part(line.sampling_key, part++),
                          .tag = tag});
    }
  }
  const auto num_requests = std::max<int64_t>(std::ssize(requests), 1);
  auto translated =
      translate_lines_(requests, [&](int64_t done) { on_progress(done * std::ssize(lines) / num_requests); });

  std::vector<JoinedLine> joined(lines.size());
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    JoinedLine& line = joined[i];
    line.positions.push_back({0, 0});
    for (const auto& [begin, end] : sentences[i]) {
      TranslatedLine& sentence = translated[next];
      const std::string_view source = std::string_view(texts[i].text).substr(begin, end - begin);
      const uint64_t key = requests[next++].sampling_key;
      const auto number = static_cast<int64_t>(i) + 1;
      if (placeholders_ != nullptr && !are_placeholders_kept(number, source, sentence.best().text)) {
        line.was_cut = translate_around_placeholders(tags[i], source, key, sentence) || line.was_cut;
        line.lacks_placeholder = line.lacks_placeholder || !are_placeholders_kept(number, source, sentence.best().text);
      }
      if (line.line.translations.empty()) {
        line.line = std::move(sentence);
        continue;
      }
      const std::string separator = sentence_separator(line.line.best().text);
      const size_t target = line.line.best().text.size() + separator.size();
      append(line.line, std::move(sentence), separator);
      line.positions.push_back({begin, std::min(target, line.line.best().text.size())});
    }
    line.positions.push_back({texts[i].text.size(), line.line.best().text.size()});
    line.line.was_invalid = line.line.was_invalid || texts[i].was_invalid;
    line.line.had_nul = line.line.had_nul || lines[i].text.find('\0') != std::string::npos;
  }
  return joined;
}

bool PartTranslator::are_placeholders_kept(int64_t line, std::string_view sentence,
                                           std::string_view translation) const {
  try {
    return placeholders_->are_kept(sentence, translation);
  } catch (const Error& error) {
    throw FormatError(line, "{}", error.what());
  }
}

bool PartTranslator::translate_around_placeholders(const std::vector<TokenId>& tag, std::string_view sentence,
                                                   uint64_t sampling_key, TranslatedLine& translated) const {
  std::vector<TextRange> parts;  // text and placeholders in turn
  size_t written = 0;
  for (const TextRange& placeholder : placeholders_->find(sentence)) {
    parts.push_back({written, placeholder.begin});
    parts.push_back(placeholder);
    written = placeholder.end;
  }
  if (parts.empty()) return false;  // the translation has one that the sentence lacks
  parts.push_back({written, sentence.size()});

  std::vector<TranslationRequest> requests;
  for (size_t i = 0; i < parts.size(); i += 2) {
    const std::string_view text = sentence.substr(parts[i].begin, parts[i].end - parts[i].begin);
    requests.push_back({.text = has_letters(text) ? std::string(text) : "",
                        .sampling_key = key_of_part(~sampling_key, i + 1),
                        .tag = tag});
  }
  const auto texts = translate_lines_(requests, {});
  TranslatedLine whole = untranslated("");
  whole.was_cut = translated.was_cut;
  whole.was_invalid = translated.was_invalid;
  whole.had_nul = translated.had_nul;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view text = sentence.substr(parts[i].begin, parts[i].end - parts[i].begin);
    if (i % 2 == 1 || !has_letters(text)) {
      append(whole, untranslated(text), "");
      continue;
    }
    // The blanks beside placeholders are those of the source.
    const size_t first = text.find_first_not_of(kBlanks), last = text.find_last_not_of(kBlanks);
    append(whole, untranslated(text.substr(0, first)), "");
    append(whole, texts[i / 2], "");
    append(whole, untranslated(text.substr(last + 1)), "");
  }
  translated = std::move(whole);
  return true;
}

}  // namespace transformer
