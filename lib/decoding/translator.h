#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "decoding/decoding_config.h"
#include "decoding/tree_constraint.h"
#include "model/transformer.h"

namespace transformer {

/// What happened to the lines so far, for the closing summary.
struct TranslationCounts {
  int64_t lines = 0;
  int64_t output_tokens = 0;
  int64_t cut = 0;       // longer than the model takes; their beginning was translated
  int64_t repaired = 0;  // held bytes that are not UTF-8, replaced by U+FFFD
};

/// Lines in, lines out: tokenizer, model and search together.
class Translator {
 public:
  /// `batch_size` sentences are searched together. Both references must outlive the translator. Throws Error where
  /// `config.trees` asks for what the vocabulary does not have.
  Translator(Transformer& model, const Tokenizer& tokenizer, const DecodingConfig& config, int64_t batch_size);

  /// One translation for each line, in order, without line ends. Blank lines give empty ones.
  std::vector<std::string> translate(const std::vector<std::string>& lines);

  const TranslationCounts& counts() const { return counts_; }

 private:
  /// The line's pieces; empty for a blank line.
  std::vector<int32_t> encode(const std::string& line);
  /// sources, num_words: the sentences' pieces and their numbers of words.
  std::vector<std::string> translate_batch(const std::vector<std::vector<int32_t>>& sources,
                                           const std::vector<int64_t>& num_words);

  Transformer& model_;
  const Tokenizer& tokenizer_;
  DecodingConfig config_;
  int64_t batch_size_, most_positions_;
  std::optional<BracketPieces> brackets_;  // where outputs are trees
  TranslationCounts counts_;
};

}  // namespace transformer
