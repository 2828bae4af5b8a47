#include "inference/translation_answer.h"

#include <string>
#include <vector>

#include "inference/translation_format.h"

namespace transformer {
namespace {

Json translation_json(const Translation& translation, const TranslatedLine& line, const RequestOptions& options) {
  const TranslationFormat format{.word_alignment = options.word_alignment, .words = options.words};
  Json json = json_of(translation, line.terms, format, options.alignment);
  if (options.parts.divide_lines()) {  // whose translations have no score in common
    for (const char* key : {"score", "utility"}) json.erase(key);
  }
  if (options.word_scores) return json;
  for (const char* key : {"log_prob", "pieces", "piece_log_probs"}) json.erase(key);
  return json;
}

std::vector<std::string> warnings_of(const TranslatedLine& line) {
  std::vector<std::string> warnings = line.remarks;
  if (line.was_cut) warnings.emplace_back("has too many pieces; only the beginning was translated");
  if (line.was_invalid) warnings.emplace_back("is not valid UTF-8; invalid bytes were read as U+FFFD");
  if (line.had_nul) warnings.emplace_back("has a NUL byte, which was read as a space");
  if (line.num_unknown > 0) warnings.emplace_back("has characters that the vocabulary lacks");
  if (line.lacks_translation()) {
    warnings.emplace_back("its translation is empty, though the text is not; the model has perhaps seen no such text");
  }
  if (line.best().reached_limit) warnings.emplace_back("its translation was cut at the length limit");
  return warnings;
}

}  // namespace

Json answer_of(const TranslatedLine& line, const RequestOptions& options) {
  Json json = translation_json(line.best(), line, options);
  if (options.nbest > 1 || options.choice.alternatives > 0) {
    json["alternatives"] = Json::array();
    for (size_t i = 1; i < line.translations.size(); ++i) {
      json["alternatives"].push_back(translation_json(line.translations[i], line, options));
    }
  }
  if (options.alignment || options.word_scores) json["source_pieces"] = line.source_pieces;
  if (const auto warnings = warnings_of(line); !warnings.empty()) json["warnings"] = warnings;
  return json;
}

}  // namespace transformer
