#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoding/term.h"

namespace transformer {

/// What a caller demands of outputs, beyond the settings that come with the model (DecodingConfig). Lengths are in
/// tokens, the end symbol included, as for `decoding.max_extra_tokens`. The initial values demand nothing. Sentences
/// that are searched together may differ in all but `coverage_penalty` and `diversity`.
struct OutputControl {
  int64_t no_repeat_ngram = 0;        // no n-gram of so many tokens occurs twice; 0: any may (NoRepeatNgram)
  double repetition_penalty = 1;      // factor on the log-probabilities of tokens that occur again (RepetitionPenalty)
  int64_t min_length = 1;             // no output is shorter
  std::optional<int64_t> max_length;  // none is longer, nor longer than `decoding.max_extra_tokens` allows
  double coverage_penalty = 0;        // weight of the coverage of the source in scores (coverage_penalty.h)
  double diversity = 0;               // of the hypotheses of a beam (BeamSearchOptions::diversity)
  std::vector<std::string> forbidden = {};  // words and phrases that no output has (ForbiddenPhrases)
  std::vector<Term> terms = {};             // phrases that outputs have for phrases of the source (Terminology)

  /// What all sentences of a search have in common; the rest demands nothing.
  OutputControl common() const {
    OutputControl part;
    part.coverage_penalty = coverage_penalty;
    part.diversity = diversity;
    return part;
  }

  bool operator==(const OutputControl&) const = default;
};

}  // namespace transformer
