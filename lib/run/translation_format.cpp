#include "run/translation_format.h"

#include "base/error.h"
#include "base/format.h"
#include "base/json.h"

namespace transformer {
namespace {

std::string joined(const std::vector<float>& numbers) {
  std::string text;
  for (const float number : numbers) text += concat(text.empty() ? "" : " ", fixed(number, 4));
  return text;
}

/// An fp32 number with the digits that it has.
std::string short_number(float value) { return fixed(value, 6); }

/// What `item` makes of each of the values, as a JSON array.
template <class Values, class Item>
std::string json_array(const Values& values, Item item) {
  std::string text;
  for (const auto& value : values) text += concat(text.empty() ? "" : ", ", item(value));
  return concat('[', text, ']');
}

/// Places of source and output, as `0-0 1-2`.
std::string joined(const std::vector<AlignedPieces>& alignment) {
  std::string text;
  for (const auto& [source, output] : alignment) text += concat(text.empty() ? "" : " ", source, '-', output);
  return text;
}

std::string json_of(const Translation& translation, bool alignment) {
  const auto pair = [](const AlignedPieces& pieces) { return concat('[', pieces.source, ", ", pieces.output, ']'); };
  return concat("{\"text\": ", json_string(translation.text), ", \"score\": ", json_number(translation.score),
                ", \"log_prob\": ", json_number(translation.log_prob),
                ", \"pieces\": ", json_array(translation.pieces, json_string),
                ", \"piece_log_probs\": ", json_array(translation.piece_log_probs, short_number),
                alignment ? concat(", \"alignment\": ", json_array(translation.alignment, pair)) : "", "}");
}

}  // namespace

std::vector<std::string> TranslationFormat::lines(int64_t number, const std::vector<Translation>& translations) const {
  if (kind == OutputFormat::jsonl) {
    const auto object = [&](const Translation& translation) { return json_of(translation, alignment); };
    return {concat("{\"line\": ", number, ", \"translations\": ", json_array(translations, object), "}")};
  }
  const std::string separator = kind == OutputFormat::nbest ? " ||| " : "\t";
  std::vector<std::string> lines;
  for (const auto& translation : translations) {
    std::string line = translation.text;
    if (kind == OutputFormat::nbest) line = concat(number - 1, separator, line);
    if (scores || kind == OutputFormat::nbest) line += separator + fixed(translation.score, 4);
    if (word_scores) line += separator + joined(translation.piece_log_probs);
    if (alignment) line += separator + joined(translation.alignment);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace transformer
