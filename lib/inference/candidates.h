#pragma once

#include <cstdint>
#include <vector>

#include "decoding/minimum_bayes_risk.h"
#include "inference/translation.h"
#include "inference/translation_choice.h"
#include "inference/translator_options.h"

namespace transformer {

/// The request for one of a line's samples, which count from 0; the first is the one that the line has without `mbr`.
TranslationRequest sample_request(TranslationRequest request, int64_t sample);
/// Puts the translations of a line's samples into the first one.
TranslatedLine merge_samples(std::vector<TranslatedLine> samples);

/// Orders the line's candidates, samples or the best of the beam, by their expected utility, to which equal samples all
/// contribute, and keeps the best `options.nbest` different ones, or fewer if there are fewer. Minimum Bayes risk
/// decoding: Kumar and Byrne, 2004; Eikema and Aziz, 2020.
void choose_by_utility(TranslatedLine& line, const TranslationChoice& choice, const TranslatorOptions& options,
                       const ExpectedUtilities& utilities);

}  // namespace transformer
