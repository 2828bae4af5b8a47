#pragma once

#include <optional>
#include <string>

#include "evaluation/tokenization.h"
#include "settings/key_traits.h"

namespace transformer {

/// How validation scores its translations.
struct EvaluationConfig {
  Tokenization tokenize = Tokenization::mteval_13a;
  std::optional<std::string> tokenizer_model{};
};

template <class Visitor>
void visit_fields(Visitor& visit, EvaluationConfig& c) {
  visit("tokenize", c.tokenize, {.may_change = true},
        "tokenization of BLEU in validation, as of eval-bleu; zh or char for text without spaces, none for tokenized "
        "text");
  visit("tokenizer_model", c.tokenizer_model, {.may_change = true},
        "the SentencePiece model of evaluation.tokenize: flores101, flores200, spBLEU-1K or spm");
}

}  // namespace transformer
