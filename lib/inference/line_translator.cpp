#include "inference/line_translator.h"

#include <utility>

#include "inference/candidates.h"

namespace transformer {

LineTranslator::LineTranslator(const LoadedEnsemble& models, const DecodingConfig& config, const TranslationTask& task)
    : task_(task) {
  if (task.choice.alternatives > 0) {
    alternatives_.emplace(models.replicas, models.tokenizers, config, task.translator, task.choice.alternatives);
  } else {
    translator_.emplace(models.replicas, models.tokenizers, config, candidate_options(task.choice, task.translator));
  }
}

std::vector<TranslatedLine> LineTranslator::translate(const std::vector<TranslationRequest>& requests,
                                                      const std::function<void(int64_t num_lines)>& on_progress) const {
  if (alternatives_) return alternatives_->translate(requests, on_progress);
  if (task_.choice.mbr == 0) return translator_->translate(requests, on_progress);
  auto lines = candidates(requests, on_progress);
  for (TranslatedLine& line : lines) choose_by_utility(line, task_.choice, task_.translator, task_.utilities);
  return lines;
}

const LengthLimit& LineTranslator::max_line_length() const {
  return alternatives_ ? alternatives_->max_line_length() : translator_->max_line_length();
}

std::vector<TranslatedLine> LineTranslator::candidates(
    const std::vector<TranslationRequest>& requests, const std::function<void(int64_t num_lines)>& on_progress) const {
  const int64_t num_samples = task_.choice.num_samples(task_.translator);
  if (num_samples == 1) return translator_->translate(requests, on_progress);
  std::vector<std::vector<TranslatedLine>> samples(requests.size());
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    std::vector<TranslationRequest> keyed;
    for (const TranslationRequest& request : requests) keyed.push_back(sample_request(request, sample));
    auto drawn = translator_->translate(keyed);
    for (size_t i = 0; i < drawn.size(); ++i) samples[i].push_back(std::move(drawn[i]));
  }
  std::vector<TranslatedLine> lines;
  for (auto& of_line : samples) lines.push_back(merge_samples(std::move(of_line)));
  return lines;
}

}  // namespace transformer
