#include "base/parse_number.h"

#include <cstdint>

#include "catch.h"

namespace transformer {

TEST_CASE("a number is parsed if it is the whole text") {
  CHECK(parse_number<int>("12") == 12);
  CHECK(parse_number<int64_t>("-3") == -3);
  CHECK(parse_number<double>("1e-4") == 1e-4);
  for (const char* text : {"", "-", "x", "1x", "1 ", " 1", "+1", "0x1", "1.5"}) {
    INFO(text);
    CHECK(parse_number<int>(text) == std::nullopt);
  }
  for (const char* text : {"", ".", "1.5x", "1,5", "+1.5"}) {
    INFO(text);
    CHECK(parse_number<double>(text) == std::nullopt);
  }
}

TEST_CASE("a number is not parsed if its type cannot hold it") {
  CHECK(parse_number<int8_t>("127") == 127);
  CHECK(parse_number<int8_t>("128") == std::nullopt);
  CHECK(parse_number<uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(parse_number<uint64_t>("18446744073709551616") == std::nullopt);
  CHECK(parse_number<uint64_t>("-1") == std::nullopt);
  CHECK(parse_number<double>("1e999") == std::nullopt);
}

}  // namespace transformer
