#include "text/words_of_pieces.h"

#include <fmt/ranges.h>

#include "catch.h"
#include "word_tokenizer.h"

namespace transformer {

TEST_CASE("the words of pieces are those of their text, and each piece is a part of one") {
  const Tokenizer tokenizer = word_tokenizer();
  for (const std::string text : {"the cat sat", "ein Hund ein", "mathe Hu", ""}) {
    const auto pieces = tokenizer.encode(text);
    const auto [words, word_of_piece] = words_of_pieces(tokenizer.texts_of(pieces));
    CHECK(fmt::format("{}", fmt::join(words, " ")) == tokenizer.decode(pieces));
    REQUIRE(word_of_piece.size() == pieces.size());
    std::vector<std::string> joined(words.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      joined.at(static_cast<size_t>(word_of_piece[i])) += tokenizer.text_of(pieces[i]);
    }
    for (size_t i = 0; i < words.size(); ++i) CHECK(joined[i].substr(joined[i].find_first_not_of(' ')) == words[i]);
  }
}

TEST_CASE("pieces of spaces belong to the word that follows, and control symbols to none") {
  const auto [words, word_of_piece] = words_of_pieces({"t", "t", " ", " ", "t", " ", ""});
  CHECK(words == std::vector<std::string>{"tt", "t"});
  CHECK(word_of_piece == std::vector<int64_t>{0, 0, 1, 1, 1, 1, -1});
  CHECK(words_of_pieces({""}).word_of_piece == std::vector<int64_t>{-1});
  CHECK(words_of_pieces({" "}).word_of_piece == std::vector<int64_t>{-1});
  const auto several = words_of_pieces({" New York", " ist"});
  CHECK(several.words == std::vector<std::string>{"New", "York", "ist"});
  CHECK(several.word_of_piece == std::vector<int64_t>{0, 2});
}

}  // namespace transformer
