#include "text/units_without_text.h"

#include <string>
#include <vector>

#include "catch.h"

namespace transformer {

TEST_CASE("units without text in the part that a path names are counted, and blank lines of other texts are not") {
  const auto warning = [](const std::string& path, const std::vector<std::string>& lines) {
    UnitsWithoutText units(path);
    for (const std::string& line : lines) units.add(line);
    return units.warning("they were left out");
  };
  CHECK(warning("m.tmx#de", {"a", "", "b", " "}) ==
        "m.tmx#de:2: 2 of 4 units have no text in 'de', this one first; they were left out");
  CHECK(warning("-#de", {"", "b"}) == "stdin:1: 1 of 2 units has no text in 'de', this one first; they were left out");
  CHECK(warning("m.tmx#de", {"a"}).empty());
  CHECK(warning("text.de", {""}).empty());
  CHECK(warning("text.tsv#1", {""}).empty());
  CHECK(warning("text.zip#de", {""}).empty());
}

}  // namespace transformer
