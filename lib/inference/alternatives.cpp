#include "inference/alternatives.h"

#include <algorithm>
#include <utility>

#include "inference/prepared_control.h"
#include "model/decoder_start.h"

namespace transformer {

DecodingConfig next_piece_config(DecodingConfig config, int64_t count) {
  config.beam_size = count;
  config.stopping = Stopping::full;  // the end symbol must be among the likeliest, like any other piece
  return config;
}

TranslatorOptions next_piece_options(TranslatorOptions options, int64_t count) {
  options.nbest = count;
  options.replace_unknowns = false;
  options.control.diversity = 0;
  if (count == 1) options.control.coverage_penalty = 0;  // which needs a beam
  options.control.terms.clear();
  return options;
}

TranslationRequest next_piece_request(TranslationRequest line) {
  line.max_free_tokens = 1;
  if (line.control && line.control->terminology) {
    auto control = *line.control;
    control.terminology = nullptr;  // as next_piece_options
    line.control = std::make_shared<PreparedControl>(std::move(control));
  }
  return line;
}

std::vector<Continuation> continuations_of(const TranslationRequest& line, TranslatedLine& beginnings, TokenId end) {
  auto& translations = beginnings.translations;
  std::stable_sort(translations.begin(), translations.end(),
                   [](const Translation& a, const Translation& b) { return a.log_prob > b.log_prob; });
  std::vector<Continuation> continuations;
  for (size_t i = 0; i < translations.size(); ++i) {
    const auto& tokens = translations[i].tokens;
    const bool has_ended = tokens.empty() || tokens.back() == end;
    if (has_ended) continue;
    continuations.push_back({i, line});
    continuations.back().request.prefix = tokens;
    continuations.back().request.num_found = 1;
  }
  return continuations;
}

void replace_beginning(TranslatedLine& line, size_t alternative, const TranslatedLine& continued) {
  line.translations[alternative] = continued.best();
  line.terms = continued.terms;
}

AlternativesTranslator::AlternativesTranslator(const std::vector<std::vector<Transformer>>& replicas,
                                               const Tokenizers& tokenizers, const DecodingConfig& config,
                                               const TranslatorOptions& options, int64_t count)
    : end_(special_tokens_of(replicas.at(0).at(0)->config(), tokenizers).target().end),
      next_pieces_(replicas, tokenizers, next_piece_config(config, count), next_piece_options(options, count)),
      continuations_(replicas, tokenizers, config, options) {}

std::vector<TranslatedLine> AlternativesTranslator::translate(
    const std::vector<TranslationRequest>& lines, const std::function<void(int64_t num_lines)>& on_progress) const {
  std::vector<TranslationRequest> beginnings;
  for (const TranslationRequest& line : lines) beginnings.push_back(next_piece_request(line));
  std::vector<TranslatedLine> translated = next_pieces_.translate(beginnings);

  std::vector<TranslationRequest> continued;
  std::vector<std::pair<size_t, size_t>> places;  // the line and the alternative of each
  for (size_t i = 0; i < lines.size(); ++i) {
    for (auto& [alternative, request] : continuations_of(lines[i], translated[i], end_)) {
      continued.push_back(std::move(request));
      places.emplace_back(i, alternative);
    }
  }
  const auto show_lines = [&](int64_t done) {
    if (on_progress) on_progress(done * std::ssize(lines) / std::ssize(continued));
  };
  const auto found = continuations_.translate(continued, show_lines);
  for (size_t i = 0; i < found.size(); ++i) {
    replace_beginning(translated[places[i].first], places[i].second, found[i]);
  }
  return translated;
}

}  // namespace transformer
