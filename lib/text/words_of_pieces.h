#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

/// The words of a text, as spaces separate them, and the pieces that they consist of.
struct WordsOfPieces {
  std::vector<std::string> words;
  /// For each piece, the index of the word of which it is a part. A piece that is all spaces belongs to the word that
  /// it begins, and one without text, such as a control symbol, to none: -1.
  std::vector<int64_t> word_of_piece;
};

/// The words of pieces whose texts are these (Tokenizer::text_of).
WordsOfPieces words_of_pieces(const std::vector<std::string>& texts);

}  // namespace transformer
