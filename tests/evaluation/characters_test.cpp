#include "evaluation/characters.h"

#include "catch.h"
#include "golden/evaluation/bleu.h"

namespace transformer {
namespace {

using Words = std::vector<std::string_view>;

TEST_CASE("characters have Unicode's categories") {
  CHECK((is_number(U'7') && is_number(U'²') && is_number(U'Ⅷ') && !is_number(U'x')));
  CHECK((is_punctuation(U'„') && is_punctuation(U'-') && is_punctuation(U'。') && !is_punctuation(U'€')));
  CHECK((is_symbol(U'€') && is_symbol(U'+') && is_symbol(U'😀') && !is_symbol(U',')));
  CHECK((is_alphabetic(U'ß') && is_alphanumeric(U'٣') && !is_alphanumeric(U'²') && is_lowercase(U'ß')));
  CHECK((is_white_space(U'\u00A0') && !is_white_space(U'\x1F') && !is_white_space(U'\u200B')));
}

TEST_CASE("lower case equals Python's") {
  CHECK(to_lower("ÄÖ ẞ İ") == "äö ß i\u0307");
  CHECK(to_lower("ΟΔΟΣ ΣΑΣ") == "οδος σας");  // a sigma at the end of a word has another form
  for (const auto& expected : golden::kTokenizedLines) CHECK(to_lower(expected.line) == expected.lowercase);
}

TEST_CASE("whitespace is defined by Unicode") {
  CHECK(split_at_whitespace(" a\u00A0b\u2009\u3000c\x1F") == Words{"a", "b", "c"});
  // The zero width space and the byte order mark are not whitespace.
  CHECK(split_at_whitespace("a\u200Bb\uFEFFc") == Words{"a\u200Bb\uFEFFc"});
  CHECK(split_at_whitespace(" \u2003").empty());
  CHECK(split_at_whitespace("").empty());
}

TEST_CASE("whitespace is stripped at the end only, or at both") {
  CHECK(strip_trailing_whitespace(" a b \u00A0\r\n") == " a b");
  CHECK(strip_trailing_whitespace("a\u200B") == "a\u200B");
  CHECK(strip_trailing_whitespace("\u3000 ") == "");
  CHECK(strip_whitespace("\u3000 a b ") == "a b");
}

}  // namespace
}  // namespace transformer
