#include "serving/libretranslate.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace transformer {
namespace {

std::string joined_lines(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

/// How many translations of each text the call wants.
int64_t num_translations(const LibreTranslateCall& call) { return 1 + call.num_alternatives; }

}  // namespace

RequestOptions libretranslate_options(const LibreTranslateCall& call, const std::string& source_language,
                                      int64_t beam_size) {
  RequestOptions options;
  options.parts.split = LineParts::sentences;
  options.parts.split_language = source_language;
  options.joins_nbest = true;
  options.nbest = num_translations(call);
  if (options.nbest > beam_size) options.decoding.beam_size = options.nbest;
  return options;
}

LibreTranslateLines::LibreTranslateLines(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    for (std::string& line : lines_of_text(text)) {
      carriage_returns_.push_back(line.ends_with('\r') ? "\r" : "");
      if (line.ends_with('\r')) line.pop_back();
      lines_.push_back({.text = std::move(line)});
    }
    ends_.push_back(lines_.size());
  }
}

Json LibreTranslateLines::answer(const LibreTranslateCall& call, const std::vector<TranslatedLine>& translated) const {
  Json texts = Json::array(), alternatives = Json::array();
  size_t begin = 0;
  for (const size_t end : ends_) {
    Json others = Json::array();
    for (size_t n = 0; n < static_cast<size_t>(num_translations(call)); ++n) {
      std::vector<std::string> parts;
      for (size_t i = begin; i < end; ++i) {
        const auto& of_line = translated[i].translations;
        parts.push_back(of_line[std::min(n, of_line.size() - 1)].text + carriage_returns_[i]);
      }
      (n == 0 ? texts : others).push_back(joined_lines(parts));
    }
    alternatives.push_back(std::move(others));
    begin = end;
  }
  Json answer = {{"translatedText", call.is_list ? texts : texts.at(0)}};
  if (call.num_alternatives > 0) answer["alternatives"] = call.is_list ? alternatives : alternatives.at(0);
  return answer;
}

}  // namespace transformer
