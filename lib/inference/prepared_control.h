#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "decoding/logits_processor.h"
#include "decoding/output_control.h"
#include "decoding/terminology.h"
#include "text/tokenizer.h"

namespace transformer {

/// What an OutputControl demands of the outputs of single sentences, in the form that a search needs. It is made once
/// for all sentences of which the same is demanded, because forbidden phrases and terms take long to prepare.
struct PreparedControl {
  int64_t min_length = 1;                               // as in OutputControl
  std::optional<int64_t> max_length = {};               // likewise
  LogitsProcessors processors = {};                     // of each sentence
  std::shared_ptr<const Terminology> terminology = {};  // whose terms have processors of their own; null: no terms
};

/// Throws as ForbiddenPhrases and Terminology do, and ParameterError if a forbidden phrase is part of a term. The
/// tokenizer must outlive what is returned.
PreparedControl prepare_control(const OutputControl& control, const Tokenizer& target);

}  // namespace transformer
