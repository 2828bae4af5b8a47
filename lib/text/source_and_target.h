#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace transformer {

/// A value that source and target each have, or share. Each kind of value answers for itself whether it is shared:
/// Tokenizers say whether there is one tokenizer, VocabularySizes whether there is one list of pieces with ids. Which
/// embedding matrices are one is a fact of the network (model/embedding_matrices.h).
template <class T>
class SourceAndTarget {
 public:
  /// Shared by both sides. Implicit, so that one value alone stands for itself.
  SourceAndTarget(T shared) : target_(std::move(shared)) {}
  static SourceAndTarget separate(T source, T target) { return {std::move(source), std::move(target)}; }

  bool are_shared() const { return !source_; }
  const T& source() const { return source_ ? *source_ : target_; }
  const T& target() const { return target_; }

  /// function(source) and function(target); a single function(shared) if both sides share it.
  template <class Function>
  auto map(Function function) const {
    using Result = SourceAndTarget<std::invoke_result_t<Function, const T&>>;
    if (are_shared()) return Result(function(target_));
    auto source = function(*source_);
    return Result::separate(std::move(source), function(target_));
  }

  bool operator==(const SourceAndTarget&) const = default;

 private:
  SourceAndTarget(T source, T target) : source_(std::move(source)), target_(std::move(target)) {}

  std::optional<T> source_;  // if it is not the target's
  T target_;
};

/// The numbers of pieces of the vocabularies.
using VocabularySizes = SourceAndTarget<int64_t>;
/// The bytes of the tokenizers' SentencePiece models.
using VocabularyModels = SourceAndTarget<std::string>;

}  // namespace transformer
