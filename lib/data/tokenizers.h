#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/vocabulary_sizes.h"
#include "data/tokenizer.h"

namespace transformer {

/// The tokenizers of source and target, which are one if both sides share a vocabulary.
class Tokenizers {
 public:
  /// Without `source`, both sides share the target's.
  explicit Tokenizers(Tokenizer target, std::optional<Tokenizer> source = std::nullopt)
      : target_(std::move(target)), source_(std::move(source)) {}
  /// From the bytes of SentencePiece models; without `source`, both sides share a vocabulary. Throws Error as Tokenizer
  /// does.
  Tokenizers(const std::string& target, const std::string& source, const std::string& name) : target_(target, name) {
    if (!source.empty()) source_.emplace(source, name);
  }

  const Tokenizer& source() const { return source_ ? *source_ : target_; }
  const Tokenizer& target() const { return target_; }
  bool are_shared() const { return !source_; }

  VocabularySizes sizes() const {
    return source_ ? VocabularySizes(source_->size(), target_.size()) : VocabularySizes(target_.size());
  }
  /// The bytes of the source's SentencePiece model; empty if both sides share the target's.
  std::string source_model_bytes() const { return source_ ? source_->model_bytes() : ""; }

 private:
  Tokenizer target_;
  std::optional<Tokenizer> source_;  // if it is not the target's
};

inline bool have_same_vocabularies(const Tokenizers& one, const Tokenizers& other) {
  return one.target().model_bytes() == other.target().model_bytes() &&
         one.source().model_bytes() == other.source().model_bytes();
}

}  // namespace transformer
