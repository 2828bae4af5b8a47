#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/source_and_target.h"
#include "text/special_tokens.h"

namespace transformer {

/// One sentence pair of the corpus: the ids of its pieces without the begin and end symbols, and its line in the text,
/// counted from 1 through all files.
struct SentencePair {
  std::span<const TokenId> source, target;
  int64_t line;
};

/// Sentence pairs by their indices in the corpus: the corpus itself, or other segmentations of its sentences.
class SentencePairs {
 public:
  virtual ~SentencePairs() = default;
  /// The pair with this index. Its pieces are valid as long as this object, or until begin_step.
  virtual SentencePair operator[](int64_t pair) const = 0;
  /// The special symbols of the vocabularies that the ids belong to.
  virtual const SourceAndTarget<SpecialTokens>& special_tokens() const = 0;
  /// Training calls this before step `step` reads these pairs, which may then be segmented anew. Does nothing here.
  virtual void begin_step(const std::vector<int64_t>& /*pairs*/, int64_t /*step*/) {}

 protected:
  SentencePairs() = default;
  SentencePairs(const SentencePairs&) = default;
  SentencePairs& operator=(const SentencePairs&) = default;
};

/// The line numbers of these pairs in the training text, of the first ten at most, for a message.
std::string line_numbers(const SentencePairs& all, const std::vector<int64_t>& pairs);

}  // namespace transformer
