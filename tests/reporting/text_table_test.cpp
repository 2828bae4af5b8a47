#include "reporting/text_table.h"

#include "catch.h"

namespace transformer {

TEST_CASE("text table: names are above their columns, whichever is wider") {
  const auto lines = text_table({{"", {{"row", {"a", "long name"}}}},
                                 {"wide group", {{"x", {"1", "22"}}, {"y", {"3", "4"}}}},
                                 {"g", {{"heading", {"5", "6"}}}}});
  CHECK(lines == std::vector<std::string>{"           wide group  g      ",  //
                                          "row              x  y  heading",  //
                                          "a                1  3        5",  //
                                          "long name       22  4        6"});
}

TEST_CASE("text table: columns are aligned by characters") {
  const auto lines = text_table({{"", {{"row", {"grün", "blau"}}, {"x", {"1", "22"}}}}});
  CHECK(lines == std::vector<std::string>{"        ", "row    x", "grün   1", "blau  22"});
}

}  // namespace transformer
