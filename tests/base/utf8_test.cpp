#include "base/utf8.h"

#include "catch.h"

namespace transformer {

TEST_CASE("UTF-8 repair keeps valid text and replaces every other byte") {
  const std::string valid = "aé€𝄞\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF";
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(replace_invalid_utf8(valid) == valid);
  CHECK(replace_invalid_utf8("a\xFFz") == "a" + bad + "z");
  CHECK(replace_invalid_utf8("\xC3") == bad);                                // cut short
  CHECK(replace_invalid_utf8("\xC0\x80") == bad + bad);                      // overlong
  CHECK(replace_invalid_utf8("\xED\xA0\x80") == bad + bad + bad);            // surrogate
  CHECK(replace_invalid_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
}

TEST_CASE("UTF-8 is decoded to characters and back, bytes that are none included") {
  const std::string text = "aé€𝄞\xFF\xC3z\xED\xA0\x80";
  const std::u32string characters = {U'a', U'é', U'€', U'𝄞', 0xDCFF, 0xDCC3, U'z', 0xDCED, 0xDCA0, 0xDC80};
  CHECK(decode_utf8(text) == characters);
  CHECK(encode_utf8(characters) == text);
  CHECK(character_length("€x") == 3);
  CHECK(character_length("\xFFx") == 1);
}

}  // namespace transformer
