#include "inference/prepared_control.h"

#include "base/format.h"
#include "base/parameter_error.h"
#include "decoding/forbidden_phrases.h"
#include "decoding/output_processors.h"

namespace transformer {
namespace {

void check_permits_terms(const ForbiddenPhrases& forbidden, const std::vector<Term>& terms) {
  for (const Term& term : terms) {
    if (!forbidden.occurs_in(term.target)) continue;
    // In double quotes, because the command line replaces parameters in single quotes by its options.
    throw ParameterError("{}: \"{}\" has a word or phrase that 'forbid' forbids; leave out one of them", term.place,
                         shown_value(term.target));
  }
}

}  // namespace

PreparedControl prepare_control(const OutputControl& control, const Tokenizer& target) {
  PreparedControl prepared{.min_length = control.min_length, .max_length = control.max_length};
  LogitsProcessors& processors = prepared.processors;
  if (control.min_length > 1) {
    processors.push_back(std::make_shared<MinLength>(control.min_length, target.special_tokens().end));
  }
  if (control.no_repeat_ngram > 0) processors.push_back(std::make_shared<NoRepeatNgram>(control.no_repeat_ngram));
  if (control.repetition_penalty != 1) {
    processors.push_back(std::make_shared<RepetitionPenalty>(control.repetition_penalty));
  }
  if (!control.terms.empty()) prepared.terminology = std::make_shared<Terminology>(control.terms, target);
  if (!control.forbidden.empty()) {
    const auto forbidden = std::make_shared<ForbiddenPhrases>(control.forbidden, target);
    check_permits_terms(*forbidden, control.terms);
    processors.push_back(forbidden);
  }
  return prepared;
}

}  // namespace transformer
