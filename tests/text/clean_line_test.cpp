#include "text/clean_line.h"

#include "catch.h"

namespace transformer {

TEST_CASE("clean line: CR at the end is removed, NUL becomes a space, invalid UTF-8 is replaced and reported") {
  CHECK(clean_line("a b\r").text == "a b");
  CHECK(clean_line("a\rb").text == "a\rb");
  CHECK(clean_line(std::string("a\0b", 3)).text == "a b");
  CHECK_FALSE(clean_line(std::string("Mädchen\0\r", 10)).was_invalid);
  const CleanLine repaired = clean_line("\xFF!");
  CHECK(repaired.text == "\xEF\xBF\xBD!");
  CHECK(repaired.was_invalid);
  CHECK(clean_line("").text.empty());
}

}  // namespace transformer
