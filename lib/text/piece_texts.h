#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace transformer {

/// Splits text into the pieces of a tokenizer as strings, in which an unknown piece keeps its characters, and joins
/// them. Holds a copy of the tokenizer's vocabulary. Several threads may use it at once.
class PieceTexts {
 public:
  explicit PieceTexts(const Tokenizer& tokenizer);
  ~PieceTexts();
  PieceTexts(PieceTexts&&) noexcept;

  /// The pieces of the text, one for each id that Tokenizer::encode returns. Throws Error if SentencePiece fails.
  std::vector<std::string> encode(std::string_view text) const;
  /// The text of the pieces, none of which is a control symbol. A string that is no piece of the vocabulary stands for
  /// itself. Throws Error if SentencePiece fails.
  std::string decode(const std::vector<std::string>& pieces) const;

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace transformer
