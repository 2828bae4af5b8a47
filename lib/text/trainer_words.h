#pragma once

#include <sentencepiece_processor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text/bpe_pieces.h"

namespace transformer {

/// Words as SentencePiece's trainer sees them: normalized, with a space mark in front.
class TrainerWords {
 public:
  /// `model_bytes` are those of a model with the special symbols and the normalization of the one to learn, which is
  /// one of kNormalizationRules.
  explicit TrainerWords(const std::string& model_bytes);

  /// Adds a word with its count. Returns false if SentencePiece fails.
  bool add(const std::string& word, int64_t count);

  /// The characters that become pieces, the most frequent one first, by the trainer's arithmetic.
  std::vector<char32_t> required_characters(float coverage) const;
  /// The words, and the parts of words with blanks, each with its count, for learn_bpe_pieces.
  std::vector<CountedWord> counted_words(const std::vector<char32_t>& required) const;

  bool is_symbol(const std::string& piece) const { return known_symbols_.contains(piece); }
  size_t num_symbols() const { return symbols_.size(); }

 private:
  /// Nullopt if SentencePiece fails.
  std::optional<std::string> normalized(std::string_view word) const;
  std::string with_symbols_as_tabs(std::string_view word) const;

  const std::vector<std::string> symbols_;
  std::unordered_set<std::string_view> known_symbols_;
  std::set<size_t> lengths_;
  sentencepiece::SentencePieceProcessor processor_;
  bool is_ready_ = false;
  bool keeps_ascii_ = false;  // whether words of kAscii become what they are, with a space mark in front
  std::unordered_map<std::u32string, int64_t> counts_;
};

}  // namespace transformer
