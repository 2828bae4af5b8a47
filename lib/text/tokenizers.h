#pragma once

#include <string>
#include <utility>

#include "text/source_and_target.h"
#include "text/tokenizer.h"

namespace transformer {

/// The tokenizers of source and target.
class Tokenizers : public SourceAndTarget<Tokenizer> {
 public:
  using SourceAndTarget::SourceAndTarget;
  Tokenizers(SourceAndTarget<Tokenizer> tokenizers) : SourceAndTarget(std::move(tokenizers)) {}
  /// `name` names the models in messages. Throws Error as Tokenizer does.
  Tokenizers(const VocabularyModels& models, const std::string& name)
      : SourceAndTarget(models.map([&](const std::string& bytes) { return Tokenizer(bytes, name); })) {}

  /// Each tokenizer has a vocabulary of its own, so the sides share a vocabulary if they share a tokenizer.
  VocabularySizes sizes() const {
    return map([](const Tokenizer& tokenizer) { return tokenizer.size(); });
  }
  VocabularyModels models() const {
    return map([](const Tokenizer& tokenizer) { return tokenizer.model_bytes(); });
  }
  SourceAndTarget<SpecialTokens> special_tokens() const {
    return map([](const Tokenizer& tokenizer) { return tokenizer.special_tokens(); });
  }
};

}  // namespace transformer
