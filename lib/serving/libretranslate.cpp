#include "serving/libretranslate.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "documents/formats.h"
#include "documents/read_document.h"

namespace transformer {

RequestOptions libretranslate_options(const LibreTranslateCall& call, const std::string& source_language,
                                      int64_t beam_size) {
  RequestOptions options;
  options.parts.split = LineParts::sentences;
  options.parts.split_language = source_language;
  options.joins_nbest = true;
  options.nbest = 1 + call.num_alternatives;
  if (options.nbest > beam_size) options.decoding.beam_size = options.nbest;
  return options;
}

LibreTranslateLines::LibreTranslateLines(const LibreTranslateCall& call) : call_(call) {
  for (const std::string& text : call.texts) {
    begins_.push_back(lines_.size());
    if (call.is_html) {
      documents_.push_back(read_html_document(text, /*task=*/{}));
      for (const Segment* segment : documents_.back().segments()) lines_.push_back({.text = segment->text});
      continue;
    }
    for (std::string& line : lines_of_text(text)) {
      carriage_returns_.push_back(line.ends_with('\r') ? "\r" : "");
      if (line.ends_with('\r')) line.pop_back();
      lines_.push_back({.text = std::move(line)});
    }
  }
  begins_.push_back(lines_.size());
}

std::string LibreTranslateLines::joined(size_t text, size_t n, const std::vector<TranslatedLine>& translated) const {
  const auto text_of = [&](size_t line) -> const std::string& {
    const auto& translations = translated[line].translations;
    return translations[std::min(n, translations.size() - 1)].text;
  };
  std::vector<std::string> parts;
  size_t line = begins_[text];
  if (!call_.is_html) {
    for (; line < begins_[text + 1]; ++line) parts.push_back(text_of(line) + carriage_returns_[line]);
    return fmt::format("{}", fmt::join(parts, "\n"));
  }
  const Document& document = documents_[text];
  for (const Segment* segment : document.segments()) {
    const std::vector<MatchingPositions> ends = {{0, 0}, {segment->text.size(), text_of(line).size()}};
    const auto& positions = n == 0 ? translated[line].positions : ends;
    parts.push_back(with_markup(*segment, text_of(line), positions, document.escape));
    ++line;
  }
  return with_translations(document, parts);
}

Json LibreTranslateLines::answer(const std::vector<TranslatedLine>& translated) const {
  Json texts = Json::array(), alternatives = Json::array();
  for (size_t text = 0; text < call_.texts.size(); ++text) {
    texts.push_back(joined(text, 0, translated));
    Json others = Json::array();
    for (int64_t n = 1; n <= call_.num_alternatives; ++n) {
      others.push_back(joined(text, static_cast<size_t>(n), translated));
    }
    alternatives.push_back(std::move(others));
  }
  Json answer = {{"translatedText", call_.is_list ? texts : texts.at(0)}};
  if (call_.num_alternatives > 0) answer["alternatives"] = call_.is_list ? alternatives : alternatives.at(0);
  return answer;
}

}  // namespace transformer
