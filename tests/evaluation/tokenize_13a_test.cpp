#include "evaluation/tokenize_13a.h"

#include "catch.h"
#include "golden/evaluation/bleu.h"

namespace transformer {
namespace {

using Words = std::vector<std::string_view>;

TEST_CASE("13a separates symbols, but not apostrophes and hyphens") {
  CHECK(tokenize_13a("Hello (world)!") == "Hello ( world ) !");
  CHECK(tokenize_13a("don't use well-known tricks") == "don't use well-known tricks");
}

TEST_CASE("13a keeps a point or comma only between digits") {
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

TEST_CASE("13a lets a character belong to one match of a pattern at most") {
  // A comma is separated from what stands before it unless that is a digit. But the first comma
  // here is part of "a,", so ",," is no match, and the second comma stays with its digit.
  CHECK(tokenize_13a("a,,5") == "a , ,5");
  CHECK(tokenize_13a("a,5") == "a , 5");
}

TEST_CASE("13a unescapes four entities, once each and in its order") {
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

TEST_CASE("13a sees letters of any script as they are, and only ASCII digits as digits") {
  CHECK(tokenize_13a("Straße,日本,") == "Straße , 日本 ,");
  CHECK(tokenize_13a("１.２") == "１ . ２");
  CHECK(tokenize_13a("„so“") == "„so“");
}

TEST_CASE("13a passes on bytes that are not UTF-8") {
  CHECK(tokenize_13a("a\xFF.\xC2") == "a\xFF . \xC2");
  CHECK(tokenize_13a("\xE2\x80") == "\xE2\x80");
}

TEST_CASE("13a agrees with sacreBLEU on nasty lines") {
  for (const auto& [line, words] : golden::kTokenizedLines) CHECK(tokenize_13a(line) == words);
}

TEST_CASE("whitespace is that of Unicode") {
  CHECK(split_at_whitespace(" a\u00A0b\u2009\u3000c\x1F") == Words{"a", "b", "c"});
  // Neither the zero width space nor the byte order mark is one.
  CHECK(split_at_whitespace("a\u200Bb\uFEFFc") == Words{"a\u200Bb\uFEFFc"});
  CHECK(split_at_whitespace(" \u2003").empty());
  CHECK(split_at_whitespace("").empty());
}

TEST_CASE("whitespace is stripped at the end only") {
  CHECK(strip_trailing_whitespace(" a b \u00A0\r\n") == " a b");
  CHECK(strip_trailing_whitespace("a\u200B") == "a\u200B");
  CHECK(strip_trailing_whitespace("\u3000 ") == "");
}

}  // namespace
}  // namespace transformer
