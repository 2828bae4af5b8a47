#include "inference/translation_format.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include "base/json.h"
#include "decoding/terminology.h"

namespace transformer {
namespace {

std::string text_of(const std::vector<float>& log_probs) {
  std::vector<std::string> items;
  for (const float log_prob : log_probs) items.push_back(fmt::format("{:.4f}", log_prob));
  return fmt::format("{}", fmt::join(items, " "));
}

/// Source and output positions, as in "0-0 1-2".
std::string text_of(const std::vector<AlignedPieces>& alignment) {
  std::vector<std::string> items;
  for (const auto& [source, output] : alignment) items.push_back(fmt::format("{}-{}", source, output));
  return fmt::format("{}", fmt::join(items, " "));
}

/// Rounded to a millionth, which is enough for a log-probability.
double rounded(float value) { return std::stod(fmt::format("{:.6f}", value)); }

Json json_of(const Translation& translation, const std::vector<Term>& terms, bool alignment) {
  Json json = {{"text", translation.text},
               {"score", translation.score},
               {"log_prob", translation.log_prob},
               {"pieces", translation.pieces},
               {"piece_log_probs", Json::array()}};
  for (const float log_prob : translation.token_log_probs) json["piece_log_probs"].push_back(rounded(log_prob));
  json["finish_reason"] = translation.reached_limit ? "length" : "stop";
  if (translation.utility) json["utility"] = *translation.utility;
  if (!terms.empty()) json["unmet_terms"] = Json::array();
  for (const Term& term : unmet_terms(terms, translation.text)) {
    json["unmet_terms"].push_back({{"source", term.source}, {"target", term.target}});
  }
  if (!alignment) return json;
  json["alignment"] = Json::array();
  for (const auto& [source, output] : translation.alignment) json["alignment"].push_back({source, output});
  return json;
}

}  // namespace

std::vector<std::string> TranslationFormat::lines(int64_t number, const TranslatedLine& translated,
                                                  bool alignment) const {
  if (kind == OutputFormat::jsonl) {
    Json json = {{"line", number}, {"source_pieces", translated.source_pieces}, {"translations", Json::array()}};
    for (const auto& translation : translated.translations)
      json["translations"].push_back(json_of(translation, translated.terms, alignment));
    return {json_text(json)};
  }
  const std::string separator = kind == OutputFormat::nbest ? " ||| " : "\t";
  std::vector<std::string> lines;
  for (const auto& translation : translated.translations) {
    std::string line = translation.text;
    if (kind == OutputFormat::nbest) line = fmt::format("{}{}{}", number - 1, separator, line);
    if (scores || kind == OutputFormat::nbest) line += separator + fmt::format("{:.4f}", translation.score);
    if (word_scores) line += separator + text_of(translation.token_log_probs);
    if (alignment) line += separator + text_of(translation.alignment);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace transformer
