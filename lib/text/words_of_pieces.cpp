#include "text/words_of_pieces.h"

#include <algorithm>

namespace transformer {

WordsOfPieces words_of_pieces(const std::vector<std::string>& texts) {
  WordsOfPieces found;
  bool begins_word = true;
  for (const std::string& text : texts) {
    bool has_text = false;
    for (const char c : text) {
      if (c == ' ') {
        begins_word = true;
        continue;
      }
      if (begins_word) found.words.emplace_back();
      begins_word = false;
      found.words.back() += c;
      // Of a piece with several words, the first counts.
      if (!has_text) found.word_of_piece.push_back(std::ssize(found.words) - 1);
      has_text = true;
    }
    if (!has_text) found.word_of_piece.push_back(text.empty() ? -1 : std::ssize(found.words));
  }
  // Spaces behind the last word begin none.
  for (int64_t& word : found.word_of_piece) word = std::min(word, std::ssize(found.words) - 1);
  return found;
}

}  // namespace transformer
