#include "inference/translation_format.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cmath>

#include "decoding/terminology.h"

namespace transformer {
namespace {

std::string text_of(const std::vector<float>& log_probs) {
  std::vector<std::string> items;
  for (const float log_prob : log_probs) items.push_back(fmt::format("{:.4f}", log_prob));
  return fmt::format("{}", fmt::join(items, " "));
}

/// The probabilities of words, with the words as printed: as in "der:0.9132 Hund:0.7500".
std::string text_of(const std::vector<TranslatedWord>& words) {
  std::vector<std::string> items;
  for (const auto& [word, log_prob] : words) items.push_back(fmt::format("{}:{:.4f}", word, std::exp(log_prob)));
  return fmt::format("{}", fmt::join(items, " "));
}

/// Source and output positions, as in "0-0 1-2".
template <class Pair>
std::string text_of(const std::vector<Pair>& alignment) {
  std::vector<std::string> items;
  for (const auto& [source, output] : alignment) items.push_back(fmt::format("{}-{}", source, output));
  return fmt::format("{}", fmt::join(items, " "));
}

/// Rounded to a millionth, which is enough for a log-probability.
double rounded(float value) { return std::stod(fmt::format("{:.6f}", value)); }

template <class Pair>
Json json_of_pairs(const std::vector<Pair>& alignment) {
  Json pairs = Json::array();
  for (const auto& [source, output] : alignment) pairs.push_back({source, output});
  return pairs;
}

}  // namespace

Json json_of(const Translation& translation, const std::vector<Term>& terms, const TranslationFormat& format,
             bool alignment) {
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
  if (format.words) {
    json["words"] = Json::array();
    for (const auto& [word, log_prob] : translation.words) {
      json["words"].push_back({{"text", word}, {"probability", rounded(static_cast<float>(std::exp(log_prob)))}});
    }
  }
  if (format.word_alignment) json["word_alignment"] = json_of_pairs(translation.word_alignment);
  if (alignment) json["alignment"] = json_of_pairs(translation.alignment);
  return json;
}

std::vector<std::string> TranslationFormat::lines(int64_t number, const TranslatedLine& translated,
                                                  bool alignment) const {
  if (kind == OutputFormat::jsonl) {
    Json json = {{"line", number}, {"source_pieces", translated.source_pieces}, {"translations", Json::array()}};
    for (const auto& translation : translated.translations)
      json["translations"].push_back(json_of(translation, translated.terms, *this, alignment));
    return {json_text(json)};
  }
  const std::string separator = kind == OutputFormat::nbest ? " ||| " : "\t";
  std::vector<std::string> lines;
  for (const auto& translation : translated.translations) {
    std::string line = translation.text;
    if (kind == OutputFormat::nbest) line = fmt::format("{}{}{}", number - 1, separator, line);
    if (scores || kind == OutputFormat::nbest) line += separator + fmt::format("{:.4f}", translation.score);
    if (word_scores) line += separator + text_of(translation.token_log_probs);
    if (words) line += separator + text_of(translation.words);
    if (alignment) line += separator + text_of(translation.alignment);
    if (word_alignment) line += separator + text_of(translation.word_alignment);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace transformer
