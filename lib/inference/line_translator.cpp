#include "inference/line_translator.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace transformer {

LineTranslator::LineTranslator(const LoadedEnsemble& models, const DecodingConfig& config, const TranslationTask& task)
    : task_(task) {
  if (task.alternatives > 0) {
    alternatives_.emplace(models.replicas, models.tokenizers, config, task.translator, task.alternatives);
    return;
  }
  TranslatorOptions options = task.translator;
  if (task.mbr > 0) options.nbest = options.sampling ? 1 : task.mbr;
  translator_.emplace(models.replicas, models.tokenizers, config, options);
}

std::vector<TranslatedLine> LineTranslator::translate(const std::vector<TranslationRequest>& requests,
                                                      const std::function<void(int64_t num_lines)>& on_progress) const {
  if (alternatives_) return alternatives_->translate(requests, on_progress);
  if (task_.mbr == 0) return translator_->translate(requests, on_progress);
  auto lines = task_.translator.sampling ? samples(requests) : translator_->translate(requests, on_progress);
  for (TranslatedLine& line : lines) choose_by_utility(line);
  return lines;
}

const LengthLimit& LineTranslator::max_line_length() const {
  return alternatives_ ? alternatives_->max_line_length() : translator_->max_line_length();
}

std::vector<TranslatedLine> LineTranslator::samples(const std::vector<TranslationRequest>& requests) const {
  static constexpr int kLineBits = 40;  // of a line's sampling key
  std::vector<TranslatedLine> lines;
  for (int64_t sample = 0; sample < task_.mbr; ++sample) {
    auto keyed = requests;
    for (auto& request : keyed) request.sampling_key += static_cast<uint64_t>(sample) << kLineBits;
    auto drawn = translator_->translate(keyed);
    for (size_t i = 0; i < drawn.size() && sample > 0; ++i) {
      if (!lines[i].source_pieces.empty()) lines[i].translations.push_back(std::move(drawn[i].translations.front()));
    }
    if (sample == 0) lines = std::move(drawn);
  }
  return lines;
}

void LineTranslator::choose_by_utility(TranslatedLine& line) const {
  auto& translations = line.translations;
  std::vector<std::string> texts;
  std::vector<double> weights;  // samples come as often as they are likely
  for (const Translation& translation : translations) {
    texts.push_back(translation.text);
    if (!task_.translator.sampling) weights.push_back(std::exp(translation.log_prob - line.best().log_prob));
  }
  const auto utilities = task_.utilities(texts, weights);
  for (size_t i = 0; i < utilities.size(); ++i) translations[i].utility = utilities[i];
  std::stable_sort(translations.begin(), translations.end(),
                   [](const Translation& a, const Translation& b) { return a.utility > b.utility; });
  translations.resize(std::min(translations.size(), static_cast<size_t>(task_.translator.nbest)));
}

}  // namespace transformer
