#pragma once

#include <cstdint>

#include "decoding/decoding_config.h"
#include "decoding/minimum_bayes_risk.h"
#include "inference/translator_options.h"

namespace transformer {

/// Which translations a line gets, if not those with the best scores.
struct TranslationChoice {
  int64_t alternatives = 0;  // so many alternatives after the line's prefix (inference/alternatives.h); 0: none
  int64_t mbr = 0;           // those with the least Bayes risk among so many candidates (candidates.h); 0: none
  UtilityMetric mbr_metric = UtilityMetric::chrf;

  /// How many samples of each line are the candidates; 1 if its translations are not chosen among samples.
  int64_t num_samples(const TranslatorOptions& options) const { return mbr > 0 && options.sampling ? mbr : 1; }
};

/// Throws ParameterError if the choice and the options contradict each other.
void check_choice(const TranslationChoice& choice, const TranslatorOptions& options);
/// Throws ParameterError if the choice and the options do not fit the config.
void check_choice_fits(const TranslationChoice& choice, const TranslatorOptions& options, const DecodingConfig& config);

/// The options for the candidates among which the translations are chosen by minimum Bayes risk.
TranslatorOptions candidate_options(const TranslationChoice& choice, TranslatorOptions options);

}  // namespace transformer
