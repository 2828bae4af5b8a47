#include "base/base64.h"

#include "catch.h"

namespace transformer {

TEST_CASE("base64 has the values of RFC 4648 and gives back the bytes") {
  const auto [bytes, text] =
      GENERATE(table<std::string, std::string>({{"", ""},
                                                {"f", "Zg=="},
                                                {"fo", "Zm8="},
                                                {"foo", "Zm9v"},
                                                {"foob", "Zm9vYg=="},
                                                {"fooba", "Zm9vYmE="},
                                                {"foobar", "Zm9vYmFy"},
                                                {std::string("\0\xFF\xFB\xF0", 4), "AP/78A=="}}));
  CHECK(base64_of(bytes) == text);
  CHECK(bytes_of_base64(text) == bytes);
}

TEST_CASE("base64: a text with other characters, or of another length, is refused") {
  const std::string text = GENERATE("Zg=", "Zg", "Z===", "====", "Zg==Zg==", "Zm9\n", "Zm 9", "Z=g=", "Zm9\xFF");
  CHECK_FALSE(bytes_of_base64(text));
}

}  // namespace transformer
