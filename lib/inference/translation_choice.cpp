#include "inference/translation_choice.h"

#include "base/parameter_error.h"

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

}  // namespace transformer
