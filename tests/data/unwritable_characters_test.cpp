#include "data/unwritable_characters.h"

#include "catch.h"
#include "word_tokenizer.h"

namespace transformer {

TEST_CASE("the characters that pieces lose are those that the line has more often, without blanks") {
  CHECK(lost_characters("a b", "a b").empty());
  CHECK(lost_characters(" a  b ", "a b").empty());
  CHECK(lost_characters("x² y² 2", "x2 y2 2") == U"²²");
  CHECK(lost_characters("a\u200Cb", "a b") == U"\u200C");
  CHECK(lost_characters("cu\u0308", "cü") == U"u\u0308");
  CHECK(lost_characters("☃ ☃a", " ⁇  ⁇ a") == U"☃☃");
}

TEST_CASE("the characters that a line's pieces lose are found with and without decoding them") {
  const Tokenizer tokenizer = tokenizer_of("the cat sat 2 1⁄2 on the mat\n", 30);
  const PieceTexts piece_texts(tokenizer);
  const auto lost = [&](const std::string& line) { return piece_texts.lost_characters(line, tokenizer.encode(line)); };
  for (const char* line : {"the cat sat on the mat", "t", "", "the  cat", " the cat ", "sat\u00A0on"})
    CHECK(lost(line) == lost_characters(line, tokenizer.decode(tokenizer.encode(line))));
  CHECK(lost("the cat").empty());
  CHECK(lost("the ² cat") == U"²");
  CHECK(lost("the ☃ c☃t") == U"☃☃");
  CHECK(lost("t\u200Che") == U"\u200C");
  const std::vector<TokenId> pieces = tokenizer.encode("the cat");
  CHECK(piece_texts.lost_characters("the cats", pieces) == U"s");
  CHECK(piece_texts.lost_characters("thecat s", pieces) == U"s");
  CHECK(piece_texts.lost_characters("the ca", pieces).empty());
}

TEST_CASE("the warning of characters that cannot be written names the most frequent ones, their fate and a remedy") {
  const Tokenizer tokenizer = tokenizer_of("the cat sat 2 1⁄2 on the mat\n", 30);
  UnwritableCharacters characters;
  CHECK(characters.warning("corpus", tokenizer).empty());
  characters.add(U"²", "t.de:3");
  characters.add(U"²\u200C", "t.de:4");
  CHECK(characters.warning("corpus", tokenizer) ==
        "corpus: the vocabulary cannot write 3 characters of its target side: U+00B2 ² (2 times, becomes 2; t.de:3), "
        "U+200C (1 time, lost; t.de:4); data.normalization: identity keeps characters as they are");
  characters.add(U"☃☃☃", "t.de:7");
  CHECK(
      characters.warning("corpus", tokenizer) ==
      "corpus: the vocabulary cannot write 6 characters of its target side: U+2603 ☃ (3 times, not in the vocabulary; "
      "t.de:7), U+00B2 ² (2 times, becomes 2; t.de:3), U+200C (1 time, lost; t.de:4); data.normalization: identity "
      "keeps characters as they are; a vocabulary that is learned from this text with data.character_coverage: 1 has "
      "all of them");
  characters.add(U"abcdefgh", "t.de:9");
  CHECK_THAT(characters.warning("corpus", tokenizer), Catch::Contains(" and 3 more; "));
}

}  // namespace transformer
