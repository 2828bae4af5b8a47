#include "reporting/text_table.h"

#include "catch.h"

namespace transformer {

TEST_CASE("text table: names are above their columns, whichever is wider") {
  const std::string table = text_table({{"", {{"row", {"a", "long name"}}}},
                                        {"wide group", {{"x", {"1", "22"}}, {"y", {"3", "4"}}}},
                                        {"g", {{"heading", {"5", "6"}}}}});
  CHECK(table ==
        "           wide group  g      \n"
        "row              x  y  heading\n"
        "a                1  3        5\n"
        "long name       22  4        6");
}

TEST_CASE("text table: columns are aligned by characters") {
  const std::string table = text_table({{"", {{"row", {"grün", "blau"}}, {"x", {"1", "22"}}}}});
  CHECK(table == "        \nrow    x\ngrün   1\nblau  22");
}

}  // namespace transformer
