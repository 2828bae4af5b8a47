#include "inference/translation_choice.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/parameter_error.h"
#include "inference/translator.h"

namespace transformer {

void check_choice(const TranslationChoice& choice, const TranslatorOptions& options) {
  if (choice.alternatives > 0) {
    if (options.nbest > 1 || choice.mbr > 0) {
      throw ParameterError(
          "'alternatives' is the number of translations, chosen in another way than by '{}'; leave out one of them",
          options.nbest > 1 ? "nbest" : "mbr");
    }
    if (options.sampling) {
      throw ParameterError("'alternatives' needs a search, and 'sample' does none; leave out one of them");
    }
  }
  if (choice.mbr == 0) return check_sampling(options);
  if (options.nbest > choice.mbr) {
    throw ParameterError("'nbest' {}: there are {} candidates; give a larger 'mbr'", options.nbest, choice.mbr);
  }
}

void check_choice_fits(const TranslationChoice& choice, const TranslatorOptions& options,
                       const DecodingConfig& config) {
  if (choice.alternatives > 0 && config.trees) {
    throw ParameterError("'alternatives': outputs that are trees have none; leave it out");
  }
  if (choice.mbr > config.beam_size && !options.sampling) {
    throw ParameterError("'mbr' {}: the beam size is {}; give a larger 'beam_size', or 'sample'", choice.mbr,
                         config.beam_size);
  }
  check_fits(config, candidate_options(choice, options));
}

TranslatorOptions candidate_options(const TranslationChoice& choice, TranslatorOptions options) {
  if (choice.mbr > 0) options.nbest = options.sampling ? 1 : choice.mbr;
  return options;
}

TranslationRequest sample_request(TranslationRequest request, int64_t sample) {
  static constexpr int kLineBits = 40;  // of a line's sampling key
  request.sampling_key += static_cast<uint64_t>(sample) << kLineBits;
  return request;
}

TranslatedLine merge_samples(std::vector<TranslatedLine> samples) {
  TranslatedLine line = std::move(samples.front());
  if (line.source_pieces.empty()) return line;  // it is blank
  for (auto sample = samples.begin() + 1; sample != samples.end(); ++sample) {
    line.translations.push_back(std::move(sample->translations.front()));
  }
  return line;
}

void choose_by_utility(TranslatedLine& line, const TranslationChoice& choice, const TranslatorOptions& options,
                       const ExpectedUtilities& expected_utilities) {
  auto& translations = line.translations;
  std::vector<std::string> texts;
  std::vector<double> weights;  // samples come as often as they are likely
  for (const Translation& translation : translations) {
    texts.push_back(translation.text);
    if (!options.sampling) weights.push_back(std::exp(translation.log_prob - line.best().log_prob));
  }
  const auto utilities = expected_utilities(texts, weights, choice.mbr_metric);
  for (size_t i = 0; i < utilities.size(); ++i) translations[i].utility = utilities[i];
  std::stable_sort(translations.begin(), translations.end(),
                   [](const Translation& a, const Translation& b) { return a.utility > b.utility; });
  translations.resize(std::min(translations.size(), static_cast<size_t>(options.nbest)));
}

}  // namespace transformer
