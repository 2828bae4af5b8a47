#include "inference/translator_options.h"

#include "base/parameter_error.h"

namespace transformer {

void check_sampling(const TranslatorOptions& options) {
  if (!options.sampling || options.nbest == 1) return;
  throw ParameterError("'nbest' needs a search, and 'sample' does none; leave out one of them");
}

void check_fits(const DecodingConfig& config, const TranslatorOptions& options) {
  check_sampling(options);
  if (!options.sampling && options.nbest > config.beam_size) {
    throw ParameterError("'nbest' {}: the beam size is {}; give a larger 'beam_size'", options.nbest, config.beam_size);
  }
  if (config.trees && options.replace_unknowns) {
    throw ParameterError("'replace_unknowns': outputs that are trees have no unknown pieces; give 'no_trees'");
  }
}

void check_control(const OutputControl& control, const TranslatorOptions& options, const DecodingConfig& config) {
  if (control.max_length && control.min_length > *control.max_length) {
    throw ParameterError("'min_length' {} is above 'max_length' {}; lower it, or raise 'max_length'",
                         control.min_length, *control.max_length);
  }
  const auto refuse_with_trees = [&](bool is_given, const char* name) {
    if (!config.trees || !is_given) return;
    throw ParameterError("'{}': outputs that are trees follow other rules; give 'no_trees', or leave it out", name);
  };
  refuse_with_trees(control.no_repeat_ngram > 0, "no_repeat_ngram");
  refuse_with_trees(control.repetition_penalty != 1, "repetition_penalty");
  refuse_with_trees(control.min_length > 1, "min_length");
  refuse_with_trees(!control.forbidden.empty(), "forbid");
  refuse_with_trees(!control.terms.empty(), "terminology");
  const auto check_needs_beam = [&](bool is_given, const char* name) {
    if (!is_given) return;
    if (options.sampling) {
      throw ParameterError("'{}' needs a search, and 'sample' does none; leave out one of them", name);
    }
    if (config.beam_size == 1) {
      throw ParameterError("'{}' chooses among the hypotheses of a beam; give a 'beam_size' of at least 2", name);
    }
  };
  check_needs_beam(control.coverage_penalty > 0, "coverage_penalty");
  check_needs_beam(control.diversity > 0, "diversity");
  check_needs_beam(!control.terms.empty(), "terminology");
}

}  // namespace transformer
