#include "base/utf8.h"

#include "catch.h"

namespace transformer {
namespace {

const std::string kReplacement = "\uFFFD";

std::string replacements(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += kReplacement;
  return text;
}

}  // namespace

TEST_CASE("UTF-8 repair keeps valid text") {
  const std::string valid = "aé€𝄞\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF";
  CHECK(replace_invalid_utf8(valid) == valid);
  CHECK(replace_invalid_utf8(kReplacement) == kReplacement);
  CHECK(replace_invalid_utf8(std::string("a\0b", 3)) == std::string("a\0b", 3));
  CHECK(replace_invalid_utf8("").empty());
  CHECK(is_valid_utf8(valid));
  CHECK(is_valid_utf8(""));
}

TEST_CASE("UTF-8 repair replaces each maximal subpart of an ill-formed sequence once") {
  CHECK_FALSE(is_valid_utf8("a\xC0\xAF"));
  // The Unicode Standard, section 3.9, tables 3-8 to 3-11.
  CHECK(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == replacements(8) + "A");  // overlong forms
  CHECK(replace_invalid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == replacements(8) + "A");  // surrogates
  CHECK(replace_invalid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") ==
        replacements(5) + "A" + replacements(2) + "B");  // other ill-formed sequences
  CHECK(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == replacements(4) + "A");  // truncated sequences
  CHECK(replace_invalid_utf8("a\xFFz") == "a" + kReplacement + "z");
  for (const char* truncated : {"\xC3", "\xE2\x82", "\xF0\x9D\x84", "\xF4\x8F\xBF"}) {
    CHECK(replace_invalid_utf8(truncated) == kReplacement);
  }
  CHECK(replace_invalid_utf8("\xC0\x80") == replacements(2));          // overlong
  CHECK(replace_invalid_utf8("\xED\xA0\x80") == replacements(3));      // surrogate
  CHECK(replace_invalid_utf8("\xF4\x90\x80\x80") == replacements(4));  // beyond U+10FFFF
}

TEST_CASE("UTF-8 loses a byte order mark at its beginning only") {
  CHECK(without_byte_order_mark("\uFEFFa\uFEFF") == "a\uFEFF");
  CHECK(without_byte_order_mark("a") == "a");
  CHECK(without_byte_order_mark("\xEF\xBB") == "\xEF\xBB");
  CHECK(without_byte_order_mark("").empty());
}

TEST_CASE("UTF-8 is decoded to characters and encoded again, including invalid bytes") {
  const std::string text = "aé€𝄞\xFF\xC3z\xED\xA0\x80\xF0\x9D\x84";
  const std::u32string characters = {U'a',   U'é',   U'€',   U'𝄞',   0xDCFF, 0xDCC3, U'z',
                                     0xDCED, 0xDCA0, 0xDC80, 0xDCF0, 0xDC9D, 0xDC84};
  CHECK(decode_utf8(text) == characters);
  CHECK(encode_utf8(characters) == text);
}

TEST_CASE("a text is cut to a width by characters, with an ellipsis") {
  CHECK(cut_to_width("step 12", 7) == "step 12");
  CHECK(cut_to_width("step 123", 7) == "step 1…");
  CHECK(cut_to_width("Länge", 5) == "Länge");
  CHECK(cut_to_width("Längen", 3) == "Lä…");
  CHECK(cut_to_width("step", 1) == "…");
  CHECK(cut_to_width("step", 0).empty());
}

}  // namespace transformer
