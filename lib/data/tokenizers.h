#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/vocabulary_models.h"
#include "base/vocabulary_sizes.h"
#include "data/tokenizer.h"

namespace transformer {

/// The tokenizers of source and target, which are one if both sides share a vocabulary.
class Tokenizers {
 public:
  /// Without `source`, both sides share the target's.
  explicit Tokenizers(Tokenizer target, std::optional<Tokenizer> source = std::nullopt)
      : target_(std::move(target)), source_(std::move(source)) {}
  /// `name` names the models in messages. Throws Error as Tokenizer does.
  Tokenizers(const VocabularyModels& models, const std::string& name) : target_(models.target, name) {
    if (!models.source.empty()) source_.emplace(models.source, name);
  }

  const Tokenizer& source() const { return source_ ? *source_ : target_; }
  const Tokenizer& target() const { return target_; }
  bool are_shared() const { return !source_; }

  VocabularySizes sizes() const {
    return source_ ? VocabularySizes(source_->size(), target_.size()) : VocabularySizes(target_.size());
  }
  VocabularyModels models() const { return {target_.model_bytes(), source_ ? source_->model_bytes() : ""}; }

 private:
  Tokenizer target_;
  std::optional<Tokenizer> source_;  // if it is not the target's
};

}  // namespace transformer
