#include "inference/alternatives.h"

#include <algorithm>
#include <utility>

#include "base/parameter_error.h"
#include "model/decoder_start.h"

namespace transformer {
namespace {

/// For the search of the next pieces, which is one step long and ranks by probability alone.
DecodingConfig one_step(DecodingConfig config, int64_t count) {
  config.beam_size = count;
  config.stopping = Stopping::exact;
  return config;
}

TranslatorOptions one_step(TranslatorOptions options, int64_t count) {
  options.nbest = count;
  options.alignment = options.replace_unknowns = false;
  options.control.coverage_penalty = options.control.diversity = 0;
  options.control.terms.clear();
  return options;
}

TranslatorOptions best_only(TranslatorOptions options) {
  if (options.sampling) {
    throw ParameterError("'alternatives' needs a search, and 'sample' does none; leave out one of them");
  }
  options.nbest = 1;
  return options;
}

}  // namespace

AlternativesTranslator::AlternativesTranslator(const std::vector<std::vector<Transformer>>& replicas,
                                               const Tokenizers& tokenizers, const DecodingConfig& config,
                                               const TranslatorOptions& options, int64_t count)
    : end_(special_tokens_of(replicas.at(0).at(0)->config(), tokenizers).target().end),
      next_pieces_(replicas, tokenizers, one_step(config, count), one_step(options, count)),
      continuations_(replicas, tokenizers, config, best_only(options)) {
  if (config.trees) throw ParameterError("'alternatives': outputs that are trees have none; give 'no_trees'");
}

std::vector<TranslatedLine> AlternativesTranslator::translate(
    const std::vector<TranslationRequest>& lines, const std::function<void(int64_t num_lines)>& on_progress) const {
  std::vector<TranslationRequest> beginnings = lines;
  for (TranslationRequest& line : beginnings) line.max_free_tokens = 1;
  std::vector<TranslatedLine> translated = next_pieces_.translate(beginnings);

  std::vector<TranslationRequest> continued;
  std::vector<Translation*> places;  // of their translations
  for (size_t i = 0; i < lines.size(); ++i) {
    auto& translations = translated[i].translations;
    std::stable_sort(translations.begin(), translations.end(),
                     [](const Translation& a, const Translation& b) { return a.log_prob > b.log_prob; });
    for (Translation& beginning : translations) {
      const bool has_ended = beginning.tokens.empty() || beginning.tokens.back() == end_;
      if (has_ended) continue;
      TranslationRequest& request = continued.emplace_back(lines[i]);
      request.prefix = beginning.tokens;
      places.push_back(&beginning);
    }
  }
  const auto found = continuations_.translate(continued, on_progress);
  for (size_t i = 0; i < found.size(); ++i) *places[i] = found[i].best();
  return translated;
}

}  // namespace transformer
