#include "base/terminal.h"

#include "catch.h"

namespace transformer {

TEST_CASE("a status is cut to the terminal's width by characters, with an ellipsis") {
  CHECK(cut_to_width("step 12", 7) == "step 12");
  CHECK(cut_to_width("step 123", 7) == "step 1…");
  CHECK(cut_to_width("Länge", 5) == "Länge");
  CHECK(cut_to_width("Längen", 3) == "Lä…");
  CHECK(cut_to_width("step", 1) == "…");
  CHECK(cut_to_width("step", 0).empty());
}

}  // namespace transformer
