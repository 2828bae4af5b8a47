#include "evaluation/tokenization.h"

#include "base/words.h"
#include "catch.h"
#include "golden/evaluation/bleu.h"

namespace transformer {
namespace {

std::string tokenize_13a(std::string_view line) { return WordTokenizer(Tokenization::mteval_13a)(line); }
std::string tokenize_intl(std::string_view line) { return WordTokenizer(Tokenization::intl)(line); }
std::string tokenize_zh(std::string_view line) { return WordTokenizer(Tokenization::zh)(line); }

TEST_CASE("13a separates symbols, but not apostrophes and hyphens") {
  CHECK(tokenize_13a("Hello (world)!") == "Hello ( world ) !");
  CHECK(tokenize_13a("don't use well-known tricks") == "don't use well-known tricks");
}

TEST_CASE("13a keeps a period or comma only between digits") {
  CHECK(tokenize_13a("3.14") == "3.14");
  CHECK(tokenize_13a("1,000,000.") == "1,000,000 .");
  CHECK(tokenize_13a("U.S.") == "U . S .");
  CHECK(tokenize_13a(".5") == ". 5");
  CHECK(tokenize_13a("5.") == "5 .");
}

TEST_CASE("13a separates a hyphen after a digit, not before one") {
  CHECK(tokenize_13a("1990-2000") == "1990 - 2000");
  CHECK(tokenize_13a("A-10 -5") == "A-10 -5");
}

TEST_CASE("13a finds matches that do not overlap") {
  // A comma is separated from the preceding character unless that is a digit. The first comma here is part of the match
  // "a,", so that ",," is no match, and the second comma is not separated from its digit.
  CHECK(tokenize_13a("a,,5") == "a , ,5");
  CHECK(tokenize_13a("a,5") == "a , 5");
}

TEST_CASE("13a unescapes four entities, each once and in mteval's order") {
  CHECK(tokenize_13a("&quot;&amp;&lt;&gt;") == "\" & < >");
  CHECK(tokenize_13a("&amp;lt;") == "<");
  CHECK(tokenize_13a("&amp;quot;") == "& quot ;");
  CHECK(tokenize_13a("&apos;") == "& apos ;");
}

TEST_CASE("13a drops <skipped> and joins lines") {
  CHECK(tokenize_13a("a<skipped>b") == "ab");
  CHECK(tokenize_13a("<ski<skipped>pped>") == "< skipped >");
  CHECK(tokenize_13a("hyphen-\nated\nline") == "hyphenated line");
}

TEST_CASE("13a keeps letters of any script, and treats only ASCII digits as digits") {
  CHECK(tokenize_13a("Straße,日本,") == "Straße , 日本 ,");
  CHECK(tokenize_13a("１.２") == "１ . ２");
  CHECK(tokenize_13a("„so“") == "„so“");
}

TEST_CASE("13a keeps invalid UTF-8") {
  CHECK(tokenize_13a("a\xFF.\xC2") == "a\xFF . \xC2");
  CHECK(tokenize_13a("\xE2\x80") == "\xE2\x80");
}

TEST_CASE("intl separates Unicode punctuation, except between digits, and Unicode symbols") {
  CHECK(tokenize_intl("„So“, 3,5 €!") == "„ So “ , 3,5 € !");
  CHECK(tokenize_intl("50% x°") == "50 % x °");
  // The mark before a number at the end is not separated, since no character other than a number follows.
  CHECK(tokenize_intl("in 1999.") == "in 1999.");
}

TEST_CASE("zh makes a word of every Chinese character, and of dashes and quotes") {
  CHECK(tokenize_zh("猫在家。OK, ja") == "猫 在 家 。 OK , ja");
  CHECK(tokenize_zh("a–b “c”") == "a – b “ c ”");
}

TEST_CASE("char makes a word of every character, and none leaves words as they are") {
  CHECK(split_words(WordTokenizer(Tokenization::character)("aß 猫")) == std::vector<std::string>{"a", "ß", "猫"});
  CHECK(WordTokenizer(Tokenization::none)("a, b.") == "a, b.");
}

TEST_CASE("tokenizers agree with sacreBLEU on unusual lines") {
  for (const auto& expected : golden::kTokenizedLines) {
    INFO(expected.line);
    CHECK(tokenize_13a(expected.line) == expected.words_13a);
    CHECK(tokenize_intl(expected.line) == expected.words_intl);
    CHECK(tokenize_zh(expected.line) == expected.words_zh);
  }
}

}  // namespace
}  // namespace transformer
