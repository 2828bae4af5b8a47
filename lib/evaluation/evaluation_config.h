#pragma once

#include "evaluation/tokenization.h"
#include "settings/key_traits.h"

namespace transformer {

/// How validation scores its translations.
struct EvaluationConfig {
  Tokenization tokenize = Tokenization::mteval_13a;
};

template <class Visitor>
void visit_fields(Visitor& visit, EvaluationConfig& c) {
  visit("tokenize", c.tokenize, {.may_change = true},
        "tokenization of BLEU in validation, as of eval-bleu; zh or char for text without spaces, none for tokenized "
        "text");
}

}  // namespace transformer
